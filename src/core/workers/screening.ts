// The worker of `screening`: asks the interceptors, one after the other, before a person or a key is asked for a call.
import type { Call, CallWorkInput, PhaseReply } from '../../../machines/contracts.ts';
import { maxOutputChars } from '../contracts/tool.ts';
import { boundText } from '../text/bound-text.ts';
import { callEndings, stoppedOutcome } from './call-outcomes.ts';
import type { InterceptedCall, InterceptorVerdict } from './extensions.ts';
import { parseCallArguments } from './parse-call.ts';
import { readCall } from './read-call.ts';
import { holdRepeat } from './unknown-repeats.ts';
import { type Job, worker } from './worker.ts';

type Needs = 'runtime' | 'session' | 'tree' | 'journal';

export const screen = worker<CallWorkInput, PhaseReply, Needs>({
  async run({ id, call, turn, depth }, job) {
    const { runtime, session, journal } = job.services;
    let current: Call = call;
    for (const interceptor of runtime.extensions.interceptors) {
      if (!interceptor.beforeTool) continue;
      const intercepted: InterceptedCall = {
        session: session.id,
        turn,
        call: id,
        speaker: call.owner,
        name: call.name,
        arguments: parseCallArguments(current.arguments).value,
      };
      const verdict: InterceptorVerdict = (await interceptor.beforeTool(intercepted, job.signal)) ?? { do: 'allow' };
      if (job.signal.aborted) return stoppedOutcome('not_started', job); // a cancel meanwhile never counts as allow
      switch (verdict.do) {
        case 'allow':
          break;
        case 'answer':
          return { kind: 'completed', effect: 'none', ...boundedOutput(textField(verdict.output, 'output')) };
        case 'deny': {
          const message = textField(verdict.reason, 'reason');
          return { kind: 'denied', effect: 'not_started', code: 'denied', message };
        }
        case 'change': {
          const changed = changeCall(current, verdict.arguments, depth, job);
          if (changed.problem) return { kind: 'failed', effect: 'not_started', ...changed.problem };
          current = changed;
          break;
        }
        default:
          throw new TypeError('A verdict must be allow, change, answer or deny.');
      }
    }
    if (current === call) return { kind: 'go' };
    void journal.append([{ type: 'tool_changed', turn, node: id, arguments: current.arguments }]);
    return { kind: 'go', call: current };
  },
  ...callEndings,
});

function textField(value: unknown, field: string): string {
  if (typeof value !== 'string') throw new TypeError(`The \`${field}\` of a verdict must be a text.`);
  return value;
}

function boundedOutput(text: string) {
  const { output, omitted } = boundText(text, maxOutputChars);
  return omitted > 0 ? { output, omitted } : { output };
}

/** The call with other arguments: the phases that it needs from here on may differ. */
function changeCall(call: Call, value: unknown, depth: number, { services, entry }: Job<Needs>): Call {
  const { runtime, session, tree } = services;
  const text = JSON.stringify(value);
  const turn = entry.parent === null ? undefined : tree.get(entry.parent);
  const calling = { agent: turn?.name ?? null, owner: call.owner, depth, session: session.id };
  const reading = readCall({ ...call, arguments: text }, calling, runtime);
  const problem = { code: 'bad_arguments', message: 'An agent inside cannot take the place of one outside.' } as const;
  if (!reading.problem && reading.kind !== call.kind) return { ...call, problem };
  const held = holdRepeat(reading, call.repeats ?? null);
  return { ...call, arguments: text, ...held, needs: held.needs.filter((need) => need !== 'screening') };
}
