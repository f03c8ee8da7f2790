// Reads the calls that a model made: their owner, the phases that they need, and what keeps them from running.

import type { Call, ModelInput } from '../../../machines/contracts.ts';
import type { RecordedFact } from '../../../machines/facts.ts';
import type { MessageCall } from '../../../machines/messages.ts';
import type { ModelOptions } from '../../../machines/model-options.ts';
import type { NodeId, SpeakerId } from '../../../machines/vocabulary.ts';
import { repairName } from '../text/printable.ts';

import { againstCall, attempt, type CallReading } from './call-reading.ts';
import { countRepeats } from './count-repeats.ts';
import { readCall } from './read-call.ts';
import type { RuntimeServices } from './services.ts';
import { findUnknownRepeats, holdRepeat } from './unknown-repeats.ts';

export interface CallReader {
  readonly runtime: RuntimeServices;
  readonly session: string;
  /** The session's facts: earlier calls of the turn are counted in them. */
  readonly facts: readonly RecordedFact[];
  /** `none`: the request allowed no call. Some models call all the same. */
  readonly tools?: ModelOptions['tools'];
}

/** A provider's id that is longer is dropped: it is sent back with each later request. */
const maxIdChars = 512;

/** Reads a round of calls. `limits.fanOut` of them run; those after them fail, and of a flood only as many again are kept. */
export function readCalls(made: readonly MessageCall[], input: ModelInput, reader: CallReader): readonly Call[] {
  const { runtime, session, facts, tools } = reader;
  const { fanOut, repeatsPerTurn } = runtime.limits;
  const roundOwner = lastConsumedOwner(facts, input.id) ?? input.owner;
  const denyRepeat = countRepeats(facts, input.id, repeatsPerTurn);
  const findUnknownRepeat = findUnknownRepeats(facts, input.id);
  return made.slice(0, 2 * fanOut).map((given, position) => {
    const call = {
      ...given,
      name: repairName(given.name),
      callId: given.callId.length > maxIdChars ? '' : given.callId,
    };
    const { callId, name } = call;
    const owner = readOwner(call, { ...input, roundOwner }, runtime, session);
    const barred =
      position >= fanOut
        ? againstCall('fan_out_limit', `No more than ${fanOut} calls may be made at once.`)
        : tools === 'none'
          ? againstCall('unknown_tool', 'No tool may be called here.')
          : denyRepeat(call);
    const read: CallReading =
      barred ?? (owner.ok ? readCall(call, { ...input, owner: owner.value, session }, runtime) : owner.problem);
    const reading = holdRepeat(read, findUnknownRepeat(call));
    return {
      id: runtime.sources.ids(reading.kind === 'sub-agent' ? 'agent' : 'call'),
      callId,
      name,
      arguments: call.arguments,
      owner: owner.ok ? owner.value : roundOwner,
      index: input.index,
      ...reading,
    };
  });
}

interface RoundInput extends ModelInput {
  /** The speaker of the last input that the turn has consumed; else the turn's owner. */
  readonly roundOwner: SpeakerId;
}

/** The round's owner, unless the embedder attributes the call to another speaker. */
function readOwner(
  call: MessageCall,
  { id: turn, owner, roundOwner }: RoundInput,
  runtime: RuntimeServices,
  session: string,
) {
  const attribution = { session, turn, turnOwner: owner, name: call.name, arguments: call.arguments };
  return attempt(call.name, runtime, () => runtime.extensions.ownerOfCall?.(attribution) ?? roundOwner);
}

/** Returns the speaker of the last input that the turn has consumed; null: it has consumed none. The calls of its rounds belong to that speaker from then on. */
function lastConsumedOwner(facts: readonly RecordedFact[], turn: NodeId): SpeakerId | null {
  const last = facts.findLast(
    (fact) => fact.type === 'input_settled' && fact.fate === 'consumed' && fact.turn === turn,
  );
  return last?.type === 'input_settled' ? last.owner : null;
}
