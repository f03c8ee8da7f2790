// The errors of HTTP requests, as problem documents (RFC 9457) with the codes of docs/errors.md.
import * as z from 'zod';
import { dropUndefined, fieldsOf } from '../../core/collections/fields.ts';
import { errorText } from '../../core/text/error-text.ts';
import { problemOf as runtimeProblemOf } from '../command-replies.ts';
import { badSpeaker, type CredentialRefusal } from '../credential-check.ts';
import { tooManyWrong } from '../upgrade-guard.ts';
import { httpStatusOf, messageOf, type ProblemCode } from './http-codes.ts';

export const problemMediaType = 'application/problem+json';

export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string(),
  field: z.string().exactOptional(),
  limit: z.number().exactOptional(),
  refused: z.array(z.object({ node: z.string(), reason: z.string() })).exactOptional(),
});
export type ProblemDocument = z.infer<typeof problemSchema>;

interface ProblemDetails {
  /** The words for people. Default: the message of the code. */
  readonly message?: string | undefined;
  readonly field?: string | undefined;
  readonly limit?: number | undefined;
  readonly refused?: readonly { readonly node: string; readonly reason: string }[] | undefined;
  /** The status of the response. Default: that of the code. */
  readonly status?: number | undefined;
  readonly cause?: unknown;
}

/** A request that is refused, or has failed. The server replies with its document. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly #details: ProblemDetails;

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    super(details.message ?? messageOf(code), { cause: details.cause });
    this.code = code;
    this.status = details.status ?? httpStatusOf(code);
    this.#details = details;
  }

  get document(): ProblemDocument {
    const { field, limit, refused } = this.#details;
    const [title = ''] = messageOf(this.code).split(/(?<=\.) /);
    return {
      type: `urn:belay:error:${this.code}`,
      title,
      status: this.status,
      code: this.code,
      detail: this.message,
      ...dropUndefined({ field, limit, refused: refused && [...refused] }),
    };
  }
}

/** Returns the problem of a command that the runtime has rejected. */
export function problemOfRuntime(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  const { code: own } = fieldsOf(error);
  if (own === 'blob_too_large') return new HttpProblem(own, { message: errorText(error), cause: error });
  const { code, message, limit } = runtimeProblemOf(error, 'The session could not execute the request');
  return new HttpProblem(code, { message, limit });
}

/** Makes the problem of a key or a token that is refused. `message`: of one that is missing or wrong. */
export function problemOfCredential(code: CredentialRefusal, message?: string): HttpProblem {
  if (code === 'bad_speaker') return new HttpProblem('unauthorized', { message: badSpeaker, field: 'authorization' });
  return new HttpProblem(code, { message: code === 'unauthorized' ? message : tooManyWrong });
}
