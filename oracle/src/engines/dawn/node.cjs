// Dawn behind a pipe: the other side of protocol.rs, run by node with the npm package `webgpu`.
//
//   standard input    frames: length of a header (4 bytes, little-endian), the header in JSON, and
//                     as many bytes behind it as `parts` of the header add up to
//   standard output   a line "\x01lockstep " and a header in JSON, then the bytes of its `parts`;
//                     what stands between the answers Dawn printed itself
//
// It keeps nothing of a program but pipelines and buffers: every launch brings all words with it and
// takes them back.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { createRequire } = require('node:module');
const { pathToFileURL } = require('node:url');
const { Worker } = require('node:worker_threads');

const [folder, parent, ...toggles] = process.argv.slice(1);

// Nothing that a driver holds on to keeps this process: it ends at once.
const end = () => process.kill(process.pid, 'SIGKILL');

// While a driver hangs the main thread reads nothing: another one sees that the parent is gone.
new Worker(
  `setInterval(() => process.ppid === ${Number(parent)} || process.kill(process.pid, 'SIGKILL'), 500)`,
  { eval: true, stdout: true, stderr: true },
);

// Node makes pipes of its own accord such that they do not wait: then it is tried again.
const pause = new Int32Array(new SharedArrayBuffer(4));
function patiently(transfer) {
  for (;;) {
    try {
      return transfer();
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}

function read(length) {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const count = patiently(() => fs.readSync(0, bytes, at, length - at, null));
    if (count === 0) end();
    at += count;
  }
  return bytes;
}

function receive() {
  const header = JSON.parse(read(read(4).readUInt32LE(0)).toString('utf8'));
  return { ...header, parts: header.parts.map(read) };
}

function send(header, parts = []) {
  const line = JSON.stringify({ ...header, parts: parts.map((part) => part.byteLength) });
  for (const bytes of [Buffer.from(`\n\x01lockstep ${line}\n`), ...parts]) {
    for (let at = 0; at < bytes.byteLength; ) {
      at += patiently(() => fs.writeSync(1, bytes, at));
    }
  }
}

// What Dawn says of a mistake, without the calls that led to it.
const said = (error) => String(error.message ?? error).split('\n - While')[0].trim();

class Failure extends Error {
  constructor(kind, text) {
    super(text);
    this.kind = kind;
  }
}

const LIMITS = [
  'maxStorageBuffersPerShaderStage',
  'maxStorageBufferBindingSize',
  'maxBufferSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxComputeWorkgroupStorageSize',
  'maxComputeWorkgroupsPerDimension',
];
const MAX_PIPELINES = 512;

class Host {
  static async open() {
    const found = createRequire(path.join(path.resolve(folder), 'index.js')).resolve('webgpu');
    const { create, globals } = await import(pathToFileURL(found).href);
    Object.assign(globalThis, globals);
    const host = new Host();
    // It lives as long as what `create` made is held.
    host.gpu = create(toggles);
    const adapter = await host.gpu.requestAdapter();
    if (!adapter) throw new Error('Dawn finds no adapter that it takes');
    const limits = Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]]));
    const features = ['shader-f16', 'subgroups'].filter((name) => adapter.features.has(name));
    host.device = await adapter.requestDevice({
      requiredLimits: limits,
      requiredFeatures: features,
    });
    host.device.lost.then((info) => (host.lost ??= `${info.reason}: ${info.message}`));
    host.device.onuncapturederror = (event) => (host.uncaptured ??= said(event.error));
    host.prepare(Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize));
    const { vendor, architecture, device, description, isFallbackAdapter } = adapter.info;
    const { version } = JSON.parse(fs.readFileSync(path.join(path.dirname(found), 'package.json')));
    send({
      ready: {
        name: [vendor, device || architecture].filter(Boolean).join(' '),
        driver: description,
        version,
        fallback: Boolean(isFallbackAdapter),
        limits: LIMITS.map((name) => limits[name]),
        f16: adapter.features.has('shader-f16'),
        subgroups: adapter.features.has('subgroups'),
      },
    });
    return host;
  }

  prepare(largest) {
    const { device } = this;
    const { COMPUTE } = GPUShaderStage;
    const entry = (binding, type) => ({ binding, visibility: COMPUTE, buffer: { type } });
    this.layout = device.createBindGroupLayout({
      entries: [
        entry(0, 'storage'),
        entry(1, 'read-only-storage'),
        entry(2, 'storage'),
        entry(3, 'storage'),
      ],
    });
    this.pipelineLayout = device.createPipelineLayout({ bindGroupLayouts: [this.layout] });
    this.pipelines = new Map();
    this.buffers = {};
    this.largest = largest;
  }

  // Runs `work`; what Dawn says against it is thrown.
  async scoped(work) {
    const { device } = this;
    const kinds = ['validation', 'out-of-memory', 'internal'];
    for (const kind of kinds) device.pushErrorScope(kind);
    let made;
    let thrown;
    try {
      made = work();
    } catch (error) {
      thrown = error;
    }
    const errors = await Promise.all(kinds.map(() => device.popErrorScope()));
    if (this.lost) throw new Failure('lost', this.lost);
    errors.reverse().forEach((error, n) => {
      if (error) throw new Failure(['invalid', 'memory', 'lost'][n], said(error));
    });
    if (thrown) throw new Failure('invalid', said(thrown));
    if (this.uncaptured) throw new Failure('lost', this.uncaptured);
    return made;
  }

  // A buffer of at least so many bytes.
  reserve(name, bytes, usage) {
    const old = this.buffers[name];
    if (old && old.size >= bytes) return old;
    let size = 4096;
    while (size < bytes) size *= 2;
    size = Math.max(bytes, Math.min(size, this.largest));
    old?.destroy();
    this.group = null;
    return (this.buffers[name] = this.device.createBuffer({ label: name, size, usage }));
  }

  async pipeline(code) {
    const known = this.pipelines.get(code);
    if (known) return known;
    const module = await this.scoped(() => this.device.createShaderModule({ code }));
    const compute = { module, entryPoint: 'main' };
    const layout = this.pipelineLayout;
    const made = await this.scoped(() => this.device.createComputePipeline({ layout, compute }));
    if (this.pipelines.size >= MAX_PIPELINES) this.pipelines.clear();
    this.pipelines.set(code, made);
    return made;
  }

  async launch({ groups, records, parts: [code, args, words, atomics] }) {
    const pipeline = await this.pipeline(code.toString('utf8'));
    const { device } = this;
    const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    const storage = STORAGE | COPY_SRC | COPY_DST;
    const size = words.byteLength;
    // An arena may be as large as a buffer can be: what is kept of a launch comes back in another.
    const back = await this.scoped(() => {
      const arena = this.reserve('arena', size, storage);
      const launch = this.reserve('launch', args.byteLength, storage);
      const record = this.reserve('records', records, storage);
      const atomic = this.reserve('atomics', atomics.byteLength, storage);
      const readable = MAP_READ | COPY_DST;
      const back = [
        { from: arena, to: this.reserve('arena back', size, readable), bytes: size },
        { from: record, to: this.reserve('records back', records, readable), bytes: records },
        {
          from: atomic,
          to: this.reserve('atomics back', atomics.byteLength, readable),
          bytes: atomics.byteLength,
        },
      ].filter(({ bytes }) => bytes > 0);
      this.group ??= device.createBindGroup({
        layout: this.layout,
        entries: [arena, launch, record, atomic].map((buffer, binding) => ({
          binding,
          resource: { buffer },
        })),
      });
      if (size > 0) device.queue.writeBuffer(arena, 0, words);
      if (atomics.byteLength > 0) device.queue.writeBuffer(atomic, 0, atomics);
      device.queue.writeBuffer(launch, 0, args);
      const encoder = device.createCommandEncoder();
      if (records > 0) encoder.clearBuffer(record, 0, records);
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, this.group);
      pass.dispatchWorkgroups(...groups);
      pass.end();
      for (const { from, to, bytes } of back) encoder.copyBufferToBuffer(from, 0, to, 0, bytes);
      device.queue.submit([encoder.finish()]);
      return back;
    });
    if (back.length === 0) {
      await device.queue.onSubmittedWorkDone();
      return send({ done: {} });
    }
    try {
      await Promise.all(back.map(({ to, bytes }) => to.mapAsync(GPUMapMode.READ, 0, bytes)));
    } catch (error) {
      throw new Failure('lost', this.lost ?? `reading back: ${said(error)}`);
    }
    send({ done: {} }, back.map(({ to, bytes }) => Buffer.from(to.getMappedRange(0, bytes))));
    for (const { to } of back) to.unmap();
  }

  // Runs a shader that somebody wrote, with bind groups of its own. Nothing of it is kept.
  async bound({ entry, constants, buffers, dispatches, parts: [code, ...words] }) {
    const { device } = this;
    const { STORAGE, UNIFORM, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    const module = await this.scoped(() =>
      device.createShaderModule({ code: code.toString('utf8') }),
    );
    const places = buffers.map(([group, binding, type]) => ({ group, binding, type }));
    const groups = Array.from({ length: 1 + Math.max(-1, ...places.map(({ group }) => group)) });
    const { layouts, pipeline } = await this.scoped(() => {
      const { COMPUTE } = GPUShaderStage;
      const layouts = groups.map((_, number) =>
        device.createBindGroupLayout({
          entries: places
            .filter(({ group }) => group === number)
            .map(({ binding, type }) => ({ binding, visibility: COMPUTE, buffer: { type } })),
        }),
      );
      const layout = device.createPipelineLayout({ bindGroupLayouts: layouts });
      const compute = { module, entryPoint: entry, constants };
      return { layouts, pipeline: device.createComputePipeline({ layout, compute }) };
    });
    const made = [];
    const back = await this.scoped(() => {
      const size = words.reduce((sum, { byteLength }) => sum + byteLength, 0);
      places.forEach(({ type }, number) => {
        const usage = (type === 'uniform' ? UNIFORM : STORAGE) | COPY_SRC | COPY_DST;
        made.push(device.createBuffer({ size: words[number].byteLength, usage }));
        device.queue.writeBuffer(made[number], 0, words[number]);
      });
      const back = device.createBuffer({ size: Math.max(size, 4), usage: MAP_READ | COPY_DST });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      layouts.forEach((layout, number) => {
        const entries = places.flatMap(({ group, binding }, at) =>
          group === number ? [{ binding, resource: { buffer: made[at] } }] : [],
        );
        pass.setBindGroup(number, device.createBindGroup({ layout, entries }));
      });
      for (const [x, y, z] of dispatches) pass.dispatchWorkgroups(x, y, z);
      pass.end();
      let at = 0;
      for (const buffer of made) {
        encoder.copyBufferToBuffer(buffer, 0, back, at, buffer.size);
        at += buffer.size;
      }
      device.queue.submit([encoder.finish()]);
      return back;
    });
    try {
      await back.mapAsync(GPUMapMode.READ);
    } catch (error) {
      throw new Failure('lost', this.lost ?? `reading back: ${said(error)}`);
    }
    const bytes = words.reduce((sum, { byteLength }) => sum + byteLength, 0);
    send({ done: {} }, bytes === 0 ? [] : [Buffer.from(back.getMappedRange(0, bytes))]);
    for (const buffer of [back, ...made]) buffer.destroy();
  }

  async serve() {
    for (;;) {
      const request = receive();
      try {
        if (request.launch) await this.launch(request);
        else if (request.bound) await this.bound(request);
        else {
          await this.pipeline(request.parts[0].toString('utf8'));
          send({ done: {} });
        }
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        send({ failed: [error.kind, error.message] });
      }
    }
  }
}

let opened = false;
Host.open()
  .then((host) => {
    opened = true;
    return host.serve();
  })
  .catch((error) => {
    if (!opened) {
      send({ unfit: said(error) });
      return end();
    }
    fs.writeSync(2, `${String(error).split('\n')[0]}\n`);
    // Not as one that somebody else ended.
    process.kill(process.pid, 'SIGABRT');
  });
