// The two processors of sound that run in the audio thread of a browser, as the source of one module: it is loaded with the first player or recorder.
//
// A processor cannot be imported: its thread has a scope of its own. Where the policy of a page forbids a module from a blob, serve this text as a file.

export const soundWorklet = `
const reportAfter = 2400; // samples of silence after which the end of what was played is reported
class Player extends AudioWorkletProcessor {
  constructor() {
    super();
    this.pieces = [];
    this.paused = new Set();
    this.played = null;
    this.silence = 0;
    this.isOpen = true;
    this.port.onmessage = ({ data: { type, turn, piece } }) => {
      if (type === 'close') this.isOpen = false;
      if (type === 'play') this.pieces.push({ ...piece, at: 0 });
      if (type === 'pause') this.paused.add(turn);
      if (type === 'resume' || type === 'drop') this.paused.delete(turn);
      if (type === 'drop') this.pieces = this.pieces.filter((one) => one.turn !== turn);
    };
  }
  playable() {
    return this.pieces.findIndex(({ turn }) => !this.paused.has(turn));
  }
  reportEnd() {
    this.port.postMessage({ ...this.played, isLast: true });
    this.played = null;
  }
  process(_, [[out]]) {
    let filled = 0;
    for (let at = this.playable(); at !== -1 && filled < out.length; at = this.playable()) {
      const piece = this.pieces[at];
      const { turn, index, position, samples } = piece;
      if (this.played && (this.played.turn !== turn || this.played.index !== index)) this.reportEnd();
      const count = Math.min(out.length - filled, samples.length - piece.at);
      out.set(samples.subarray(piece.at, piece.at + count), filled);
      piece.at += count;
      filled += count;
      if (piece.at < samples.length) break;
      this.pieces.splice(at, 1);
      this.silence = 0;
      this.played = { turn, index, samples: position + samples.length };
      this.port.postMessage({ ...this.played, isLast: false });
    }
    this.silence += out.length - filled;
    if (this.played && this.silence >= reportAfter) this.reportEnd();
    return this.isOpen;
  }
}
class Recorder extends AudioWorkletProcessor {
  constructor() {
    super();
    this.samples = new Int16Array(480);
    this.filled = 0;
    this.isOpen = true;
    this.port.onmessage = () => (this.isOpen = false);
  }
  process([[input]]) {
    for (const value of input ?? []) {
      this.samples[this.filled++] = Math.max(-32768, Math.min(32767, Math.round(value * 32768)));
      if (this.filled < this.samples.length) continue;
      this.port.postMessage(this.samples.buffer, [this.samples.buffer]);
      this.samples = new Int16Array(480);
      this.filled = 0;
    }
    return this.isOpen;
  }
}
registerProcessor('belay-player', Player);
registerProcessor('belay-recorder', Recorder);
`;
