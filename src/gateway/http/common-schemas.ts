// Schemas that several routes share: names of sessions and nodes, refs, and numbers in an address.
import * as z from 'zod';
import { cancelSchema, joinSchema } from '../../protocol/client-frames.ts';

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
    .transform(Number)
    .pipe(z.int().min(min).max(max));
