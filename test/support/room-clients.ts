// Clients in the room of a test, each with a record of every frame that it received.
import { onTestFinished } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import type { ClientSession } from '../../src/client/joined-session.ts';
import type { ServerFrame, ServerFrameOf } from '../../src/wire/server-frames.ts';
import { type Belay, room, type TestSpeaker, tokenOf } from './belay.ts';
import { connectChecked } from './checked-client.ts';
import { connectRaw, type RawClient } from './raw-client.ts';
import { until } from './until.ts';

type FrameType = ServerFrame['type'];
type SequencedFrame = ServerFrame & { readonly seq: number };

const isSequenced = (frame: ServerFrame): frame is SequencedFrame =>
  'at' in frame && 'seq' in frame && frame.seq !== undefined;

/** Returns those of the frames that are facts with a sequence number. */
export const factsOf = (frames: readonly ServerFrame[]): readonly SequencedFrame[] => frames.filter(isSequenced);

export interface FrameRecorder {
  /** Every frame so far, in the order of arrival. */
  readonly frames: readonly ServerFrame[];
  of<T extends FrameType>(type: T): readonly ServerFrameOf<T>[];
  /** Resolves with the first frame of the type, also an earlier one, that passes `is`. Rejects after 10 s. */
  waitFor<T extends FrameType>(type: T, is?: (frame: ServerFrameOf<T>) => boolean): Promise<ServerFrameOf<T>>;
  /** Returns the id of the tool call that has this text in its arguments; throws where there is none. */
  callWith(text: string): string;
  /** Passes the frames of the call that has this text in its arguments: none until that call is shown. */
  ofCallWith(text: string): (frame: { readonly node: string }) => boolean;
}

/** A client of the library, in the room. */
export interface RoomClient extends FrameRecorder {
  readonly client: Client;
  readonly session: ClientSession;
}

/** A raw client in the room: its record has the frames as they came over the socket. */
export interface Witness extends FrameRecorder {
  readonly raw: RawClient;
}

function recorderOn(frames: readonly ServerFrame[]): FrameRecorder {
  const of = <T extends FrameType>(type: T) =>
    frames.filter((frame) => frame.type === type) as unknown as readonly ServerFrameOf<T>[]; // the filter narrows the union
  const find = (text: string) => of('tool_call').find((frame) => frame.arguments.includes(text));
  return {
    frames,
    of,
    waitFor: (type, is = () => true) =>
      until(() => of(type).find(is), {
        ms: 10_000,
        what: `the frame ${type}; received: ${frames.map((frame) => frame.type).join(', ')}`,
      }),
    callWith(text) {
      const call = find(text);
      if (!call) throw new Error(`No call has ${text} in its arguments.`);
      return call.node;
    },
    ofCallWith:
      (text) =>
      ({ node }) =>
        node === find(text)?.node,
  };
}

/** Joins the room with the client library, as users do. It does not reconnect: a test sees its connection end. */
export async function joinRoom(
  belay: Belay,
  speaker: TestSpeaker,
  { after }: { after?: number } = {},
): Promise<RoomClient> {
  const client = await connectChecked({ url: belay.url, token: tokenOf(speaker), reconnect: false });
  onTestFinished(() => client.close());
  const session = client.session(room, after === undefined ? {} : { after });
  const frames: ServerFrame[] = [];
  session.on('*', (frame) => frames.push(frame));
  await session.joined;
  return { client, session, ...recorderOn(frames) };
}

/** Joins the room with a raw client and records everything from the first fact on. */
export async function watchRoom(
  belay: Belay,
  { speaker = 'witness', after = 0 }: { speaker?: TestSpeaker; after?: number } = {},
): Promise<Witness> {
  const raw = await connectRaw(belay.url);
  await raw.hello(tokenOf(speaker));
  await raw.join(room, after);
  return { raw, ...recorderOn(raw.frames as unknown as ServerFrame[]) }; // raw frames are checked against the schemas
}
