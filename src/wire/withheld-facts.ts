// Names the facts that stay on the host: the `seq` of the others has gaps where they are.
import type { FactType } from '../../machines/facts.ts';

export const withheldFacts = [
  'session_configured',
  'text_checkpoint',
  'process_started',
  'model_state',
  'model_error',
  'turns_left_out',
  'cancel_decided',
  'cancel_unmatched',
  'transcript_dropped',
  'invite_secret',
] as const satisfies readonly FactType[];
export type WithheldFact = (typeof withheldFacts)[number];
