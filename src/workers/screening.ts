// The worker of `screening`: asks the interceptors, one after the other, before anybody else hears of a call.
import type { Call, CallWorkInput, PhaseReply } from '../../machines/contracts.ts';
import { boundText } from '../text/bound-text.ts';
import { maxOutputChars } from '../tools/tool.ts';
import { callEndings, stoppedAs } from './call-outcomes.ts';
import { readArguments } from './parse-call.ts';
import { readCall } from './read-calls.ts';
import type { InterceptedCall, InterceptorVerdict } from './services.ts';
import { type Job, worker } from './worker.ts';

export const screen = worker<PhaseReply, CallWorkInput>({
  async run({ id, call, turn, depth }, job) {
    const { plane, signal } = job;
    let current: Call = call;
    for (const interceptor of plane.interceptors) {
      if (!interceptor.beforeTool) continue;
      const seen: InterceptedCall = {
        session: plane.session,
        turn,
        call: id,
        speaker: call.owner,
        name: call.name,
        arguments: readArguments(current.arguments).value,
      };
      const verdict: InterceptorVerdict = (await interceptor.beforeTool(seen, signal)) ?? { do: 'allow' };
      if (signal.aborted) return stoppedAs('not_started', job); // a cancel meanwhile never counts as allow
      switch (verdict.do) {
        case 'allow':
          break;
        case 'answer':
          return { kind: 'completed', effect: 'none', ...boundedOutput(textOf(verdict.output, 'output')) };
        case 'deny':
          return { kind: 'denied', effect: 'not_started', code: 'denied', message: textOf(verdict.reason, 'reason') };
        case 'change': {
          const changed = change(current, verdict.arguments, depth, job);
          if (changed.problem) return { kind: 'failed', effect: 'not_started', ...changed.problem };
          current = changed;
          break;
        }
        default:
          throw new TypeError('a verdict must be allow, change, answer or deny');
      }
    }
    if (current === call) return { kind: 'go' };
    void plane.append([{ type: 'tool_changed', turn, node: id, arguments: current.arguments }]);
    return { kind: 'go', call: current };
  },
  ...callEndings,
});

function textOf(value: unknown, field: string): string {
  if (typeof value !== 'string') throw new TypeError(`the \`${field}\` of a verdict must be a text`);
  return value;
}

function boundedOutput(text: string) {
  const { output, omitted } = boundText(text, maxOutputChars);
  return omitted > 0 ? { output, omitted } : { output };
}

/** The call with other arguments: what it needs from here on may differ. */
function change(call: Call, value: unknown, depth: number, { plane, entry }: Job): Call {
  const text = JSON.stringify(value);
  const turn = entry.parent === null ? undefined : plane.tree.get(entry.parent);
  const read = readCall({ ...call, arguments: text }, { agent: turn?.name ?? null, owner: call.owner, depth }, plane);
  const problem = { code: 'bad_arguments', message: 'An agent inside cannot take the place of one outside.' } as const;
  if (!read.problem && read.kind !== call.kind) return { ...call, problem };
  return { ...call, arguments: text, ...read, needs: read.needs.filter((need) => need !== 'screening') };
}
