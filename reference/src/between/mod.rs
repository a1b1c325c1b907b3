//! The paper's translations between the rooms.
