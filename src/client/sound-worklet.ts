// The two processors of sound that run in the audio thread of a browser, as the source of one module: it is loaded with the first player or recorder.
//
// A processor cannot be imported: its thread has a scope of its own. Where the policy of a page forbids a module from a blob, serve this text as a file.

export const soundWorklet = `
class Player extends AudioWorkletProcessor {
  constructor() {
    super();
    this.pieces = [];
    this.paused = new Set();
    this.port.onmessage = ({ data: { type, turn, piece } }) => {
      if (type === 'play') this.pieces.push({ ...piece, at: 0 });
      if (type === 'pause') this.paused.add(turn);
      if (type !== 'play' && type !== 'pause') this.paused.delete(turn);
      if (type === 'drop') this.pieces = this.pieces.filter((one) => one.turn !== turn);
    };
  }
  process(_, [[out]]) {
    let filled = 0;
    while (filled < out.length) {
      const [piece] = this.pieces;
      if (!piece || this.paused.has(piece.turn)) break;
      const count = Math.min(out.length - filled, piece.samples.length - piece.at);
      out.set(piece.samples.subarray(piece.at, piece.at + count), filled);
      piece.at += count;
      filled += count;
      if (piece.at < piece.samples.length) break;
      this.pieces.shift();
      this.port.postMessage({ turn: piece.turn, index: piece.index, samples: piece.position + piece.samples.length });
    }
    return true;
  }
}
class Recorder extends AudioWorkletProcessor {
  constructor() {
    super();
    this.samples = new Int16Array(480);
    this.filled = 0;
  }
  process([[input]]) {
    for (const value of input ?? []) {
      this.samples[this.filled++] = Math.max(-32768, Math.min(32767, Math.round(value * 32768)));
      if (this.filled < this.samples.length) continue;
      this.port.postMessage(this.samples.buffer, [this.samples.buffer]);
      this.samples = new Int16Array(480);
      this.filled = 0;
    }
    return true;
  }
}
registerProcessor('belay-player', Player);
registerProcessor('belay-recorder', Recorder);
`;
