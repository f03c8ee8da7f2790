// Laws of a speech model: what becomes of a response that is cut. They share no code with the runtime.
import type { ResponseEvidence, SpokenCallEvidence, Stamp } from './evidence.ts';
import type { WorldLaw } from './world-laws.ts';

/** How late a timer may be, in virtual milliseconds. */
const latenessMs = 2;

const isBefore = (one: Stamp | null | undefined, other: Stamp): boolean => one != null && one.at < other.at;

const nameOf = ({ key, connection }: ResponseEvidence): string => `${key} on connection ${connection}`;

export const speechModelLaws: Readonly<Record<string, WorldLaw>> = {
  'nothing of a response is passed on after it was cut': ({ speech: { calls } }) =>
    calls.flatMap(({ late, block }) => late.map((what) => `${what} of ${block?.turn}/${block?.index}`)),

  'a response that was cut is cancelled by its id, or its connection ends': ({ speech }) =>
    speech.responses.flatMap((response) => {
      const { createdAt, cancelSentAt, endedAt, connection } = response;
      const abortedAt = callOf(response, speech.calls)?.abortedAt;
      if (!createdAt || !abortedAt || cancelSentAt) return [];
      const since = isBefore(abortedAt, createdAt) ? createdAt : abortedAt;
      const isOver = isBefore(endedAt, since) || isBefore(speech.connections[connection]?.overAt, since);
      return isOver ? [] : [nameOf(response)];
    }),

  'a connection ends with a response that is overdue, unless another one goes on': ({ speech, answerMs }) =>
    speech.responses.flatMap((response) => {
      const call = callOf(response, speech.calls);
      if (!call?.abortedAt || isBefore(call.endedAt, call.abortedAt)) return [];
      const dueMs = call.abortedAt.ms + answerMs;
      const isOver = (stamp: Stamp | null | undefined) => stamp != null && stamp.ms <= dueMs + latenessMs;
      if (isOver(response.endedAt) || isOver(speech.connections[response.connection]?.overAt)) return [];
      const isGoingOn = (other: ResponseEvidence) =>
        other !== response &&
        other.connection === response.connection &&
        other.sentAt.ms <= dueMs + latenessMs &&
        (other.endedAt?.ms ?? dueMs) >= dueMs &&
        (callOf(other, speech.calls)?.abortedAt?.ms ?? dueMs) >= dueMs;
      return speech.responses.some(isGoingOn) ? [] : [nameOf(response)];
    }),
};

const callOf = ({ call }: ResponseEvidence, calls: readonly SpokenCallEvidence[]): SpokenCallEvidence | undefined =>
  calls.find(({ number }) => number === call);
