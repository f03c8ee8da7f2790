// The problems that each route may reply with: those of every route of its kind, and its own.
import { answerCodes, refusalCodes, standingCodes } from '../../../machines/codes.ts';
import { namesOf } from '../../core/collections/fields.ts';
import { httpStatusOf, type ProblemCode } from './http-codes.ts';
import type { RouteDeclaration } from './route.ts';

/** What the entry and the runtime may reply to any request of a speaker. */
const speakerCodes = [
  'unauthorized',
  'not_local',
  'access_denied',
  'rate_limited',
  'held_elsewhere',
  'unavailable',
] as const;
const kindCodes = {
  request: ['too_many_bytes', 'too_many_unanswered'],
  stream: ['too_many_bytes', 'too_many_connections'],
  cancel: [],
  by_body: ['too_many_bytes', 'too_many_unanswered', 'too_many_connections'],
} as const;
const bodyCodes = ['body_too_large', 'unsupported_media_type', 'not_json', 'missing_field'] as const;

/** What a command may be refused with, beside its own codes. */
const commandCodes = ['ref_reused', 'as_not_allowed'] as const;
/** A request that opens its session, where it is not there yet. */
export const openCodes = ['too_many_opens', 'too_many_sessions'] as const;

/** The problems of each command: a new reason to refuse one is in the table of its codes, and so in the routes of the command. */
export const commandProblems = {
  say: [...commandCodes, ...openCodes, ...namesOf(refusalCodes)],
  cancel: [...commandCodes, 'unknown_target', 'already_settled', ...namesOf(standingCodes)],
  answer: [...commandCodes, 'unknown_target', ...namesOf(answerCodes)],
} as const satisfies Readonly<Record<string, readonly ProblemCode[]>>;

/** A route has replied with a problem that it does not declare: a bug, since a generated client does not know that problem. */
export class UndeclaredProblem extends Error {
  override readonly name = 'UndeclaredProblem';

  constructor({ method, path }: RouteDeclaration, { code, status }: ReplyProblem) {
    super(`${method} ${path} replied with ${code} (${status}), which it does not declare. Add it to its "problems".`);
  }
}

/** The code of a problem with the status of its reply. */
interface ReplyProblem {
  readonly code: ProblemCode;
  readonly status: number;
}

/** Returns the codes of the problems of a route, by status. */
export function problemsOf(route: RouteDeclaration): ReadonlyMap<number, readonly ProblemCode[]> {
  const { schemas = {}, problems = [], access, kind, bodyKind } = route;
  const given: (typeof problems)[number][] = ['bad_field', 'origin_not_allowed', 'request_failed', ...problems];
  if (access === 'speaker') given.push(...speakerCodes, ...kindCodes[kind]);
  if (schemas.query || schemas.body) given.push('unknown_field');
  if (schemas.body) given.push(...bodyCodes);
  if (bodyKind === 'bytes') given.push('body_too_large');
  const byStatus = new Map<number, Set<ProblemCode>>();
  for (const one of given) {
    const [code, status] = typeof one === 'string' ? [one, httpStatusOf(one)] : one;
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b).map(([status, codes]) => [status, [...codes].sort()]));
}
