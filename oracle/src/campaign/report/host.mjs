// Launches the shaders of this folder, each with the words of its buffers from launches.json, and compares what
// they leave with what is written there. Exit status: 0 all the same, 1 something differs or breaks.
import { readFileSync } from "node:fs";

const here = (name) => readFileSync(new URL(name, import.meta.url), "utf8");
let gpu = globalThis.navigator?.gpu;
if (!gpu) {
  const webgpu = await import("webgpu");
  Object.assign(globalThis, webgpu.globals);
  gpu = webgpu.create([]);
}
const adapter = await gpu.requestAdapter();
if (!adapter) throw new Error("there is no adapter");
console.log("adapter:", adapter.info?.description || adapter.info?.vendor || "unnamed");
// A shader may want more than every device has: all that this adapter has.
const limits = [
  "maxStorageBuffersPerShaderStage",
  "maxStorageBufferBindingSize",
  "maxBufferSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupStorageSize",
  "maxComputeWorkgroupsPerDimension",
];
const requiredLimits = Object.fromEntries(limits.map((name) => [name, adapter.limits[name]]));
const device = await adapter.requestDevice({ requiredLimits });
device.addEventListener?.("uncapturederror", (event) => {
  console.error(event.error.message);
  process.exitCode = 1;
});

for (const { shader, groups, buffers } of JSON.parse(here("launches.json"))) {
  const code = here(shader);
  // Bindings that the shader declares, read-only or not.
  const declared = [...code.matchAll(/@group\(0\) @binding\((\d+)\) var<storage, (read|read_write)>/g)];
  const layout = device.createBindGroupLayout({
    entries: declared.map(([, binding, access]) => ({
      binding: Number(binding),
      visibility: GPUShaderStage.COMPUTE,
      buffer: { type: access === "read" ? "read-only-storage" : "storage" },
    })),
  });
  const made = new Map();
  for (const [, binding] of declared) {
    const words = Uint32Array.from(buffers[Number(binding)].before);
    const size = Math.max(4, words.byteLength);
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const buffer = device.createBuffer({ size, usage });
    device.queue.writeBuffer(buffer, 0, words);
    made.set(Number(binding), { buffer, size });
  }
  const module = device.createShaderModule({ code });
  const pipeline = await device.createComputePipelineAsync({
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: { module, entryPoint: "main" },
  });
  const bound = device.createBindGroup({
    layout,
    entries: [...made].map(([binding, { buffer }]) => ({ binding, resource: { buffer } })),
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bound);
  pass.dispatchWorkgroups(groups[0], groups[1]);
  pass.end();
  for (const held of made.values()) {
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    held.read = device.createBuffer({ size: held.size, usage });
    encoder.copyBufferToBuffer(held.buffer, 0, held.read, 0, held.size);
  }
  device.queue.submit([encoder.finish()]);
  let differ = 0;
  for (const [binding, { read }] of made) {
    await read.mapAsync(GPUMapMode.READ);
    const words = new Uint32Array(read.getMappedRange());
    (buffers[binding].after ?? []).forEach((wanted, at) => {
      if (words[at] === wanted) return;
      differ += 1;
      if (differ <= 10) console.log(`${shader}: binding ${binding}, word ${at}: ${words[at]}, not ${wanted}`);
    });
  }
  console.log(`${shader}: ${differ === 0 ? "the same" : `${differ} words differ`}`);
  if (differ > 0) process.exitCode = 1;
}
device.destroy();
