// Somebody in the room: a client, its session, and every frame that it has heard.
import { onTestFinished } from 'vitest';
import { type Client, connect } from '../../src/client/client.ts';
import type { ClientSession } from '../../src/client/joined-session.ts';
import type { ServerFrame, ServerFrameOf } from '../../src/protocol/server-frames.ts';
import { type Belay, room, type Speaker, tokenOf } from './belay.ts';
import { connectRaw, type RawClient } from './raw-client.ts';
import { until } from './until.ts';

type FrameType = ServerFrame['type'];

/** Those of the frames that are facts with their number. */
export const factsOf = (heard: readonly ServerFrame[]): readonly (ServerFrame & { readonly seq: number })[] =>
  heard.filter((frame) => 'at' in frame && 'seq' in frame && frame.seq !== undefined) as (ServerFrame & {
    readonly seq: number;
  })[];

export interface Ear {
  readonly heard: readonly ServerFrame[];
  of<T extends FrameType>(type: T): readonly ServerFrameOf<T>[];
  /** The first frame of the type, heard by now or later, with which `is` agrees. */
  hear<T extends FrameType>(type: T, is?: (frame: ServerFrameOf<T>) => boolean): Promise<ServerFrameOf<T>>;
  /** The id of the call of a tool that has this text in its arguments. */
  call(text: string): string;
}

export interface Seat extends Ear {
  readonly client: Client;
  readonly session: ClientSession;
}

function earOn(heard: readonly ServerFrame[]): Ear {
  const of = <T extends FrameType>(type: T) =>
    heard.filter((frame) => frame.type === type) as unknown as readonly ServerFrameOf<T>[];
  return {
    heard,
    of,
    hear: (type, is = () => true) =>
      until(() => of(type).find(is), {
        ms: 10_000,
        what: `the frame ${type}; heard: ${heard.map((frame) => frame.type).join(', ')}`,
      }),
    call(text) {
      const made = of('tool_call').find((frame) => frame.arguments.includes(text));
      if (!made) throw new Error(`no call with ${text}`);
      return made.node;
    },
  };
}

/** By the client library, as users do. */
export async function sit(belay: Belay, speaker: Speaker, { after }: { after?: number } = {}): Promise<Seat> {
  const options = { url: belay.url, token: tokenOf(speaker), reconnect: false }; // its end is heard, not mended
  const client = await connect(options);
  onTestFinished(() => client.close());
  const session = client.session(room, after === undefined ? {} : { after });
  const heard: ServerFrame[] = [];
  session.on('*', (frame) => heard.push(frame));
  await session.joined;
  return { client, session, ...earOn(heard) };
}

export interface Witness extends Ear {
  readonly raw: RawClient;
}

/** One who hears everything as it comes over the socket, from the first fact on, and says nothing. */
export async function watch(
  belay: Belay,
  { speaker = 'witness', after = 0 }: { speaker?: Speaker; after?: number } = {},
): Promise<Witness> {
  const raw = await connectRaw(belay.url);
  await raw.hello(tokenOf(speaker));
  await raw.join(room, after);
  return { raw, ...earOn(raw.frames as unknown as ServerFrame[]) };
}
