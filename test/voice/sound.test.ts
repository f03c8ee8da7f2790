// The sound of a session over a gateway, judged by the samples that a client receives, on a virtual clock.
import { describe, expect, test, vi } from 'vitest';
import type { AccessRule } from '../../machines/access.ts';
import { bytesPerSample, type SpeakerSound, samplesPerMs, soundMs } from '../../src/core/contracts/sound.ts';
import { SpeechWriter } from '../../src/embed/speech-writer.ts';
import type { GatewayLimits } from '../../src/gateway/gateway-limits.ts';
import { type Harness, type HarnessOptions, startHarness, textResponse } from '../support/harness.ts';
import { type MemoryGateway, type MemoryPeer, openGateway, type RoomToken } from '../support/memory-peer.ts';
import { until } from '../support/until.ts';

const bridgeToken: RoomToken = 'a-token-of-the-bridge';
const both = { sound: { send: true, receive: true } };
/** Frames are of 20 ms: the lead is measured to one of them. */
const aheadMs = 300;

/** Sound in which each sample says its own position. */
function countedSound(ms: number, from = 0): Uint8Array {
  const samples = Int16Array.from({ length: ms * samplesPerMs }, (_, at) => ((from + at) % 30_000) + 1);
  return new Uint8Array(samples.buffer);
}

const firstSample = (pcm: Uint8Array): number =>
  new DataView(pcm.buffer, pcm.byteOffset, pcm.byteLength).getInt16(0, true);
const msOf = (sounds: readonly { readonly pcm: Uint8Array }[]): number =>
  sounds.reduce((sum, { pcm }) => sum + soundMs(pcm), 0);

class SoundRoom {
  readonly harness: Harness;
  readonly gateway: MemoryGateway;
  #refs = 0;

  constructor(harness: Harness, limits: Partial<GatewayLimits>) {
    this.harness = harness;
    this.gateway = openGateway(harness.runtime, harness.sources, limits);
  }

  /** Connects a client that has joined the session. */
  async joined(token: RoomToken = bridgeToken, hello: object = both): Promise<MemoryPeer> {
    const peer = await this.gateway.connect(token, hello);
    peer.say({ type: 'JOIN', ref: `j${this.#refs++}`, session: 's' });
    await this.harness.clock.advance(0);
    await peer.waitFor('joined');
    return peer;
  }

  /** Sends a command and returns its ref. */
  command(peer: MemoryPeer, frame: object): string {
    const ref = `c${this.#refs++}`;
    peer.say({ ref, session: 's', ...frame });
    return ref;
  }

  /** Opens a turn of ann whose answer is written, and returns it. */
  async ask(peer: MemoryPeer, text = 'Tell me all.'): Promise<string> {
    const ref = this.command(peer, { type: 'SAY', text, as: 'ann' });
    await this.harness.clock.advance(30);
    const opened = peer.frames('turn_opened').find((frame) => frame['ref'] === ref);
    return String(opened?.['turn']);
  }

  async writer(turn: string, index = 0): Promise<SpeechWriter> {
    const { runtime, clock } = this.harness;
    return new SpeechWriter({ relay: await runtime.voice.sound(), session: 's', clock }, { turn, index });
  }
}

const answer = 'One. Two. Three. Four. Five. Six. Seven. Eight. Nine. Ten.';

async function openRoom(options: HarnessOptions = {}, limits: Partial<GatewayLimits> = {}): Promise<SoundRoom> {
  const harness = await startHarness({
    session: () => ({ kind: 'voice', access: 'open', policy: 'anyone', voice: { falseInterruptionMs: 500 } }),
    respond: () => textResponse(answer),
    ...options,
  });
  await harness.session.leave(harness.alice.connection, 'left');
  return new SoundRoom(harness, limits);
}

/** The most that the listener was ahead of playing what it had received from its first piece on, in milliseconds. */
function lead(peer: MemoryPeer): number {
  let [playsUntil, most] = [0, 0];
  for (const { at, sound } of peer.received) {
    if (!sound) continue;
    playsUntil = Math.max(playsUntil, at) + soundMs(sound.pcm);
    most = Math.max(most, playsUntil - at);
  }
  return most;
}

/** The places at which sound of a turn follows a frame that ends it. */
function soundAfter(peer: MemoryPeer, turn: string): number {
  const stop = peer.received.findIndex(
    ({ frame }) =>
      (frame?.type === 'speech_stop' && frame['turn'] === turn) ||
      (frame?.type === 'cancel_accepted' && (frame['stopping'] as readonly string[]).includes(turn)),
  );
  expect(stop, `a stop of ${turn}`).toBeGreaterThan(-1);
  return peer.received.slice(stop).filter(({ sound }) => sound?.name === turn).length;
}

describe('HELLO', () => {
  test('agrees on sound, and welcome says its format, rates and limits [voice.sound]', async () => {
    const room = await openRoom();
    const peer = await room.gateway.connect(bridgeToken, { sound: { receive: true } });
    const [welcome] = peer.frames('welcome');
    expect(welcome?.['features']).toContain('sound');
    expect(welcome?.['sound']).toEqual({
      send: false,
      receive: true,
      encoding: 'pcm_s16le',
      rate: 24_000,
      channels: 1,
      frameBytes: 16_384,
      framesPerSecond: 500,
      frameBurst: 1_000,
      bytesPerSecond: 524_288,
      byteBurst: 1_048_576,
      queueBytes: 96_000,
      aheadMs,
    });
  });

  test('without sound gets none, and its binary messages are an error by name [voice.sound]', async () => {
    const room = await openRoom();
    const [deaf, hearing] = [await room.joined(bridgeToken, {}), await room.joined('a-token-of-ann-alone')];
    expect(deaf.frames('welcome')[0]).not.toHaveProperty('sound');
    const turn = await room.ask(deaf);
    await (await room.writer(turn)).write(countedSound(200));
    expect([msOf(deaf.sounds()), msOf(hearing.sounds())]).toEqual([0, 200]);
    deaf.saySound('s', 'ann', 0, countedSound(20));
    expect(deaf.frames('error')).toMatchObject([{ code: 'not_text' }]);
    room.command(deaf, { type: 'PING' });
    expect(deaf.closedWith).toBeNull();
  });
});

describe('speech', () => {
  test('comes whole and in order, at most 300 ms before its time [voice.sound]', async () => {
    const room = await openRoom();
    const peer = await room.joined();
    const turn = await room.ask(peer);
    const writer = await room.writer(turn);
    void writer.write(countedSound(4_000));
    await room.harness.clock.advance(1_000);
    expect(msOf(peer.sounds())).toBe(1_000 + aheadMs);
    await room.harness.clock.advance(3_000);
    const sounds = peer.sounds(turn);
    expect(msOf(sounds)).toBe(4_000);
    let position = 0;
    for (const sound of sounds) {
      expect([sound.position, firstSample(sound.pcm), sound.block]).toEqual([position, (position % 30_000) + 1, 0]);
      position += sound.pcm.length / bytesPerSample;
    }
    expect(lead(peer)).toBeLessThanOrEqual(aheadMs);
  });

  test('that is written slower than it is spoken never gets ahead by more than that', async () => {
    const room = await openRoom();
    const peer = await room.joined();
    const writer = await room.writer(await room.ask(peer));
    for (const [ms, pauseMs] of [
      [100, 700],
      [900, 300],
      [40, 2_000],
      [3_000, 100],
      [700, 6_000],
    ] as const) {
      void writer.write(countedSound(ms));
      await room.harness.clock.advance(pauseMs);
    }
    expect(msOf(peer.sounds())).toBe(4_740);
    expect(lead(peer)).toBeLessThanOrEqual(aheadMs);
  });

  test('a write waits while two seconds are ahead', async () => {
    const room = await openRoom();
    const writer = await room.writer('turn');
    let written = 0;
    const write = async () => {
      for (let i = 0; i < 40; i++) {
        await writer.write(countedSound(100));
        written += 100;
      }
    };
    void write();
    await room.harness.clock.advance(0);
    expect(written).toBe(2_000);
    await room.harness.clock.advance(1_000);
    expect(written).toBe(3_000);
  });

  test('waits while it is paused, goes on at its place, and is dropped when words cut it [voice.sound]', async () => {
    const room = await openRoom();
    const { clock } = room.harness;
    const peer = await room.joined();
    const turn = await room.ask(peer);
    room.command(peer, { type: 'PLAYED', turn, index: 0, offset: 0 });
    const writer = await room.writer(turn);
    void writer.write(countedSound(6_000));
    await clock.advance(1_000);
    room.command(peer, { type: 'BARGE_IN', as: 'ann', durationMs: 700 });
    await clock.advance(400);
    const heard = msOf(peer.sounds());
    expect(heard).toBe(1_300);
    expect(soundAfter(peer, turn)).toBe(0);
    await clock.advance(500);
    expect(peer.frames('speech_resume')).toHaveLength(1);
    const [next] = peer.sounds(turn).slice(heard / 20);
    expect(next?.position).toBe(heard * samplesPerMs);
    room.command(peer, { type: 'BARGE_IN', as: 'ann', durationMs: 700 });
    await clock.advance(10);
    const atCut = msOf(peer.sounds(turn));
    room.command(peer, { type: 'TRANSCRIPT', as: 'ann', text: 'And what else?', final: true });
    await clock.advance(3_000);
    void writer.write(countedSound(500, 100)); // a voice that does not notice
    await clock.advance(1_000);
    expect(msOf(peer.sounds(turn))).toBe(atCut);
  });

  test('no sound follows its speech_stop or cancel_accepted, in stops of every kind at every moment [voice.sound]', async () => {
    const slow = { steps: [{ waitMs: 10 }, { text: answer }, { waitMs: 900 }, { text: ' Eleven.' }] };
    const room = await openRoom({ respond: () => slow });
    const { clock } = room.harness;
    const peer = await room.joined();
    const stops: Record<string, (turn: string) => object> = {
      turn: (turn) => ({ type: 'CANCEL', target: turn, as: 'ann' }),
      mine: () => ({ type: 'CANCEL', target: 'mine', as: 'ann' }),
      session: () => ({ type: 'CANCEL', target: 'session', as: 'ann' }),
      phrase: () => ({ type: 'TRANSCRIPT', as: 'ann', text: 'Stop!', final: true }),
      sound: () => ({ type: 'BARGE_IN', as: 'ann', durationMs: 900 }),
    };
    const kinds = Object.keys(stops);
    let audible = 0;
    for (let i = 0; i < 150; i++) {
      const turn = await room.ask(peer, `Tell me ${i}.`);
      room.command(peer, { type: 'PLAYED', turn, index: 0, offset: 0 });
      const writer = await room.writer(turn);
      const before = (i * 37) % 250;
      await clock.advance(before);
      void writer.write(countedSound(1_500));
      await clock.advance((i * 53) % 1_700);
      const kind = kinds[i % kinds.length] ?? '';
      const at = clock.now();
      room.command(peer, stops[kind]?.(turn) ?? {});
      await clock.advance(1);
      void writer.write(countedSound(300)); // late sound of a voice that has not noticed
      await clock.advance(400);
      const speech = soundAfter(peer, turn);
      expect(speech, `${kind} after ${before} ms`).toBe(0);
      audible += peer.sounds(turn).length;
      // what a bridge that obeys no stop still plays
      let playsUntil = 0;
      for (const { at: came, sound } of peer.received)
        if (sound?.name === turn) playsUntil = Math.max(playsUntil, came) + soundMs(sound.pcm);
      expect(playsUntil - at, `${kind} at a deaf bridge`).toBeLessThanOrEqual(aheadMs);
      if (kind === 'sound') room.command(peer, { type: 'CANCEL', target: 'session', as: 'ann' });
      await clock.advance(300);
    }
    expect(audible).toBeGreaterThan(1_000);
    expect(lead(peer)).toBeLessThanOrEqual(aheadMs);
  });

  test('that waits for the floor is sent when it has it, and never between that of another turn [voice.sound]', async () => {
    const room = await openRoom();
    const { clock } = room.harness;
    const peer = await room.joined();
    const first = await room.ask(peer);
    room.command(peer, { type: 'PLAYED', turn: first, index: 0, offset: 0 });
    const ref = room.command(peer, { type: 'SAY', text: 'And me?', as: 'bob' });
    await clock.advance(30);
    const second = String(peer.frames('turn_opened').find((frame) => frame['ref'] === ref)?.['turn']);
    expect(peer.frames('speech_wait')).toMatchObject([{ turn: second }]);
    void (await room.writer(second)).write(countedSound(500));
    void (await room.writer(first)).write(countedSound(1_000));
    await clock.advance(1_200);
    expect([msOf(peer.sounds(first)), msOf(peer.sounds(second))]).toEqual([1_000, 0]);
    room.command(peer, { type: 'PLAYED', turn: first, index: 0, offset: answer.length });
    await clock.advance(600);
    expect(peer.frames('speech_start')).toMatchObject([{ turn: second }]);
    expect(msOf(peer.sounds(second))).toBe(500);
    expect(lead(peer)).toBeLessThanOrEqual(aheadMs);
  });

  test('that has lost the floor is not cut: it is sent to its end', async () => {
    const room = await openRoom();
    const { clock } = room.harness;
    const peer = await room.joined();
    const first = await room.ask(peer);
    room.command(peer, { type: 'PLAYED', turn: first, index: 0, offset: 0 });
    room.command(peer, { type: 'SAY', text: 'And me?', as: 'bob' });
    void (await room.writer(first)).write(countedSound(8_000)); // its voice names no place
    await clock.advance(12_000);
    expect(peer.frames('speech_ended').at(-1)).toMatchObject({ turn: first, outcome: 'timed_out' });
    expect(msOf(peer.sounds(first))).toBe(8_000);
  });

  test('of a turn whose text was there before the join is silent after its stop', async () => {
    const room = await openRoom();
    const { clock } = room.harness;
    const early = await room.joined();
    const turn = await room.ask(early);
    room.command(early, { type: 'PLAYED', turn, index: 0, offset: 0 });
    await clock.advance(100);
    const late = await room.joined('a-token-of-ann-alone');
    room.command(early, { type: 'CANCEL', target: 'session', as: 'ann' });
    await clock.advance(100);
    void (await room.writer(turn)).write(countedSound(500));
    await clock.advance(1_000);
    expect([msOf(early.sounds(turn)), msOf(late.sounds(turn))]).toEqual([0, 0]);
  });

  test('is sent as it was written, although its writer uses the memory again', async () => {
    const room = await openRoom();
    const peer = await room.joined();
    const pcm = countedSound(1_000);
    const written = (await room.writer(await room.ask(peer))).write(pcm);
    await written;
    pcm.fill(0);
    await room.harness.clock.advance(1_500);
    expect(peer.sounds().map(({ pcm: piece }) => firstSample(piece))).toEqual(
      Array.from({ length: 50 }, (_, i) => i * 480 + 1),
    );
  });

  test('a turn that is stopped before its first sound is silent [voice.sound]', async () => {
    const room = await openRoom();
    const peer = await room.joined();
    const ref = room.command(peer, { type: 'SAY', text: 'Tell me.', as: 'ann' });
    await room.harness.clock.advance(2);
    const turn = String(peer.frames('turn_opened').find((frame) => frame['ref'] === ref)?.['turn']);
    room.command(peer, { type: 'CANCEL', target: turn, as: 'ann' });
    await room.harness.clock.advance(10);
    void (await room.writer(turn)).write(countedSound(500));
    await room.harness.clock.advance(1_000);
    expect(peer.sounds()).toEqual([]);
  });

  test('of a session that was left is not sent', async () => {
    const room = await openRoom();
    const peer = await room.joined();
    const writer = await room.writer(await room.ask(peer));
    void writer.write(countedSound(2_000));
    await room.harness.clock.advance(100);
    const before = peer.sounds().length;
    room.command(peer, { type: 'LEAVE' });
    await room.harness.clock.advance(1_000);
    expect(peer.sounds()).toHaveLength(before);
    expect((await room.harness.runtime.voice.sound()) as { readonly size?: number }).toMatchObject({ size: 0 });
  });
});

describe('a slow reader', () => {
  test('loses the oldest sound, never a command or a fact [voice.sound]', async () => {
    const room = await openRoom();
    const { clock } = room.harness;
    const peer = await room.joined();
    const turn = await room.ask(peer);
    void (await room.writer(turn)).write(countedSound(10_000));
    await clock.advance(500);
    peer.pause();
    await clock.advance(4_000);
    room.command(peer, { type: 'SAY', text: 'Are you there?', as: 'bob' });
    await clock.advance(500);
    peer.resume();
    await clock.advance(10_000);
    expect(peer.frames('turn_ended')).toHaveLength(2);
    expect(peer.closedWith).toBeNull();
    const positions = peer.sounds(turn).map(({ position }) => position);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    const lostMs = 10_000 - msOf(peer.sounds(turn));
    expect(lostMs).toBeGreaterThan(1_500);
    expect(lostMs).toBeLessThan(4_500);
    const gaps = positions.filter((position, i) => i > 0 && position - (positions[i - 1] ?? 0) !== 480);
    expect(gaps).toHaveLength(1); // what was lost is the oldest of what waited, in one piece
    expect(positions.at(-1)).toBe(10_000 * samplesPerMs - 480);
  });
});

describe('sound of speakers', () => {
  async function heardIn(room: SoundRoom): Promise<SpeakerSound[]> {
    const heard: SpeakerSound[] = [];
    (await room.harness.runtime.voice.sound()).subscribe('s', { speaker: (sound) => heard.push(sound) });
    return heard;
  }

  test('reaches whoever has subscribed, with its speaker and position, and no log [voice.sound]', async () => {
    const room = await openRoom();
    const heard = await heardIn(room);
    const peer = await room.joined();
    for (let i = 0; i < 10; i++) peer.saySound('s', i % 2 ? 'ann' : 'bob', i * 480, countedSound(20, i * 480));
    await until(() => heard.length === 10);
    for (let i = 10; i < 20; i++) peer.saySound('s', i % 2 ? 'ann' : 'bob', i * 480, countedSound(20, i * 480));
    for (const speaker of ['ann', 'bob'])
      expect(heard.filter((one) => one.speaker === speaker).map(({ position }) => position / 960)).toEqual(
        Array.from({ length: 10 }, (_, i) => i + (speaker === 'ann' ? 0.5 : 0)),
      );
    expect(heard.every(({ position, pcm }) => firstSample(pcm) === (position % 30_000) + 1)).toBe(true);
    const facts = JSON.stringify(await room.harness.log.read('s', 0));
    expect(facts).not.toMatch(/pcm|sound/);
  });

  test('of another speaker, and by who may not speak there, is an error by name', async () => {
    const mayRead: AccessRule = (action, { id }) =>
      id === 'eve' && action === 'speak' ? { may: false } : { may: true, because: 'rule' };
    const room = await openRoom({ session: () => ({ kind: 'voice', access: mayRead }) });
    const heard = await heardIn(room);
    const [ann, eve] = [await room.joined('a-token-of-ann-alone'), await room.joined('a-token-of-eve-alone')];
    ann.saySound('s', 'bob', 0, countedSound(20));
    expect(ann.frames('error')).toMatchObject([{ code: 'as_not_allowed', session: 's' }]);
    for (let i = 0; i < 30; i++) eve.saySound('s', '', i * 480, countedSound(20));
    expect(await eve.waitFor('error')).toMatchObject({ code: 'access_denied', session: 's' });
    ann.saySound('s', '', 0, countedSound(20));
    await until(() => heard.length > 0);
    expect(heard).toMatchObject([{ speaker: 'ann', position: 0 }]);
    expect(eve.frames('error')).toHaveLength(1);
  });

  test('that is not valid is an error by name, and nothing else changes [voice.sound]', async () => {
    const room = await openRoom();
    const heard = await heardIn(room);
    const peer = await room.joined();
    const good = new Uint8Array(12 + 1 + 3 + 960);
    good.set([1, 1, 1, 0, 3, 0, 0, 0, 0, 0, 0, 0, 's'.charCodeAt(0), ...new TextEncoder().encode('ann')]);
    const changed = (at: number, value: number) => {
      const message = good.slice();
      message[at] = value;
      return message;
    };
    const bad: readonly [Uint8Array, string][] = [
      [new Uint8Array(), 'bad_sound'],
      [good.slice(0, 11), 'bad_sound'],
      [good.slice(0, 16), 'bad_sound'],
      [good.slice(0, 19), 'bad_sound'],
      [changed(0, 2), 'bad_sound'],
      [changed(1, 2), 'bad_sound'],
      [changed(1, 9), 'bad_sound'],
      [changed(3, 1), 'bad_sound'],
      [changed(5, 255), 'bad_sound'],
      [changed(13, 0xff), 'bad_sound'],
      [changed(13, 0x0a), 'bad_sound'],
      [changed(12, 'x'.charCodeAt(0)), 'not_joined'],
      [new Uint8Array(16_385), 'frame_too_large'],
    ];
    for (const [message] of bad) {
      peer.sayBytes(message);
      await room.harness.clock.advance(5_000);
    }
    expect(peer.frames('error').map(({ code }) => code)).toEqual(bad.map(([, code]) => code));
    peer.sayBytes(good);
    await until(() => heard.length === 1);
    expect(peer.closedWith).toBeNull();
  });

  test('to a session that is not joined is one error in five seconds, and closes no connection [voice.sound]', async () => {
    const room = await openRoom();
    const peer = await room.gateway.connect(bridgeToken, both);
    const bad = new Uint8Array(20);
    for (let i = 0; i < 500; i++) {
      peer.saySound('s', 'ann', i * 480, countedSound(20));
      peer.sayBytes(bad);
      peer.sayBytes(new Uint8Array(16_385));
      await room.harness.clock.advance(20);
    }
    const codes = peer.frames('error').map(({ code }) => code);
    const three = ['not_joined', 'bad_sound', 'frame_too_large'];
    expect(codes).toEqual([...three, ...three]);
    expect(peer.closedWith).toBeNull();
  });

  test('is passed on as soon as the store can say again who may speak', async () => {
    const room = await openRoom();
    const heard = await heardIn(room);
    const ann = await room.joined('a-token-of-ann-alone');
    const look = vi.spyOn(room.harness.log, 'findMembership').mockRejectedValue(new Error('The store is busy.'));
    for (let i = 0; i < 40; i++) {
      ann.saySound('s', '', i * 480, countedSound(20));
      await room.harness.clock.advance(20);
    }
    expect(await ann.waitFor('error')).toMatchObject({ code: 'unavailable', session: 's' });
    look.mockRestore();
    await until(() => {
      ann.saySound('s', '', 0, countedSound(20));
      return heard.length > 0;
    });
    expect(ann.frames('error')).toHaveLength(1);
    expect(ann.closedWith).toBeNull();
  });

  test('past its own rate is dropped, with one error, and commands go on [voice.sound]', async () => {
    const room = await openRoom(
      {},
      { soundFramesPerSecond: 10, soundFrameBurst: 20, framesPerSecond: 5, frameBurst: 5 },
    );
    const heard = await heardIn(room);
    const peer = await room.joined();
    for (let i = 0; i < 200; i++) peer.saySound('s', 'ann', i * 480, countedSound(20));
    await until(() => heard.length === 20);
    expect(peer.frames('error')).toMatchObject([{ code: 'too_much_sound' }]);
    const turn = await room.ask(peer);
    room.command(peer, { type: 'CANCEL', target: turn, as: 'ann' });
    await room.harness.clock.advance(100);
    expect(peer.frames('already_settled')).toHaveLength(1);
    expect(peer.closedWith).toBeNull();
  });
});

describe('PLAYED in milliseconds', () => {
  test('is the place that the voice has named, or an estimate between two [voice.sound]', async () => {
    const room = await openRoom();
    const peer = await room.joined();
    const turn = await room.ask(peer);
    const writer = await room.writer(turn);
    void writer.write(countedSound(1_000), { offset: 5 });
    void writer.write(countedSound(1_000), { offset: 10 });
    for (const ms of [0, 1_000, 1_500, 2_000]) room.command(peer, { type: 'PLAYED', turn, index: 0, ms });
    await room.harness.clock.advance(10);
    expect(peer.frames('played').map(({ offset }) => offset)).toEqual([0, 5, 7, 10]);
    room.command(peer, { type: 'PLAYED', turn, index: 3, ms: 10 });
    await room.harness.clock.advance(10);
    expect(peer.frames('unknown_target')).toMatchObject([{ target: turn }]);
    for (const wrong of [{ ms: 1, offset: 1 }, {}, { ms: -1 }])
      room.command(peer, { type: 'PLAYED', turn, index: 0, ...wrong });
    expect(peer.frames('error').map(({ code, field }) => [code, field])).toEqual([
      ['bad_field', 'ms'],
      ['missing_field', 'offset'],
      ['bad_field', 'ms'],
    ]);
    await room.harness.clock.advance(1_000);
    room.command(peer, { type: 'PLAYED', turn, index: 0, ms: 1_500 });
    room.command(peer, { type: 'CANCEL', target: turn, as: 'ann' });
    await room.harness.clock.advance(100);
    expect(peer.frames('speech_cut')).toMatchObject([{ turn, heard: [{ index: 0, offset: 10 }] }]);
  });
});
