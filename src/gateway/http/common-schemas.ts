// Schemas that several routes share: names of sessions and nodes, refs, and numbers in an address.
import * as z from 'zod';
import { cancelSchema, joinSchema } from '../../wire/client-frames.ts';

/** The name of a session, as in a frame. */
export const sessionName = joinSchema.shape.session;
/** The id of a node. */
export const nodeId = cancelSchema.shape.target;
/** An idempotency key, as in a frame. */
export const ref = joinSchema.shape.ref;

/** A whole number in an address. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .meta({ type: 'integer', minimum: min, maximum: max })
    .transform(Number)
    .pipe(z.int().min(min).max(max));

export const sessionParams = z.strictObject({ session: sessionName });
export const nodeParams = z.strictObject({ node: nodeId });

/** The names of the hosts of which a list has nothing, because they did not reply in time. */
export const missingSchema = z.array(z.string());
/** Says so in the description of a reply. */
export const missingText = '`missing` has the names of the hosts that did not reply in time.';

/** The session of a node, for one that is asleep. */
export const sessionQuery = z.strictObject({ session: sessionName.optional() });

/** The ref of a command: the same command under the same key is a repeat. */
export const keyHeader = z.object({ 'idempotency-key': ref.optional() });
