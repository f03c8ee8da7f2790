// The id of a response: it says which turn of which session it is, so that every host, after every restart, finds it. It is no secret: the access of the session counts.
import * as z from 'zod';
import type { NodeId } from '../../../machines/vocabulary.ts';
import { nodeId, sessionName } from '../../gateway/http/common-schemas.ts';

export interface RespondedTurn {
  readonly session: string;
  readonly turn: NodeId;
  /** The sequence number of the fact that opened it. */
  readonly openedAt: number;
  /** The name of the profile that was asked for. */
  readonly model: string;
}

const prefix = 'resp_';
const partsSchema = z.tuple([sessionName, nodeId, z.int().min(1), z.string().max(128)]);

/** Returns the id of the response that a turn is. */
export const responseIdOf = ({ session, turn, openedAt, model }: RespondedTurn): string =>
  `${prefix}${Buffer.from(JSON.stringify([session, turn, openedAt, model])).toString('base64url')}`;

/** Returns the turn of a response; null: it is no id of one. */
export function turnOfResponse(id: string): RespondedTurn | null {
  if (!id.startsWith(prefix)) return null;
  try {
    const parsed = partsSchema.safeParse(JSON.parse(Buffer.from(id.slice(prefix.length), 'base64url').toString()));
    if (!parsed.success) return null;
    const [session, turn, openedAt, model] = parsed.data;
    return { session, turn, openedAt, model };
  } catch {
    return null;
  }
}
