// Lists what a client must do: first what can be seen from the gateway's end of the wire, then the rest.
import type { Requirement } from './verdict.ts';

export const clientRequirements = [
  { id: 'client.subprotocol', must: 'offer the subprotocol `belay.v1`' },
  { id: 'client.hello', must: 'send `HELLO` first, and once on each connection' },
  { id: 'client.frames', must: 'send frames of the types and with the fields of this page, each as a text message' },
  { id: 'client.unknown', must: 'ignore fields and types of frames that it does not know' },
  { id: 'client.refs', must: 'use a new `ref` for each command, and the same one only for the same command' },
  { id: 'client.order', must: 'not let a `CANCEL` of `say:<ref>` overtake its SAY' },
  {
    id: 'client.after',
    must: 'join again, over its next connection, with the highest `seq` that it has received as `after`',
  },
  { id: 'client.answered', must: 'not send again what the replay has answered' },
  {
    id: 'client.cancel-again',
    must: 'send a `CANCEL` without a reply again, under its `ref`, over the next connection',
  },
  {
    id: 'client.own-replies',
    must: 'not take a fact with its `ref` but of another speaker (`owner`, `by`, `via`) for the reply to its command',
  },
  { id: 'client.seen', must: 'add to a `CANCEL` that it sends again `seen` and `says` of its first sending' },
  {
    id: 'client.features',
    must: 'send no `CANCEL` of tools, no `SET_TIMEOUT`, no `RENAME` and no `FORK` to a gateway whose `welcome` does not list its feature',
  },
  { id: 'client.stay-away', must: 'not come back by itself after `too_many_errors`' },
] as const satisfies readonly Requirement[];

/** They concern what a client holds and shows: its own tests must see them. */
export const unseenRequirements: readonly Requirement[] = [
  { id: 'client.values', must: 'treat a value that it does not know as one more of its kind' },
  { id: 'client.gaps', must: 'not wait for a missing `seq`' },
  {
    id: 'client.deltas',
    must: 'ignore the part of a `text_delta` that it holds, and deltas of a block that is closed',
  },
  { id: 'client.blocks', must: 'replace a block by `blocks` of `joined` and by `text` of `model_ended`' },
  { id: 'client.started', must: 'not empty a block at a replayed `model_started`' },
  { id: 'client.other-log', must: 'discard what it holds, and join anew, when `joined` has a `seq` below its `after`' },
  { id: 'client.outcome', must: 'not show as cancelled what the receipt does not call so' },
];

export type ClientRequirementId = (typeof clientRequirements)[number]['id'];
