// Parses the parts of a request by the schemas of its route. What is wrong becomes a problem that names the field and the limit.
import type { IncomingHttpHeaders } from 'node:http';
import type * as z from 'zod';
import { describeIssue, pathText, valueAt } from '../../core/text/schema-issue.ts';
import { HttpProblem } from './problems.ts';
import type { HttpRoute, RouteInput, RouteSchemas } from './route.ts';

/** A request before it is parsed. */
export interface RawInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: IncomingHttpHeaders;
  /** The bytes of the body; null: there is none. */
  readonly body: Buffer | null;
}

const maxNameChars = 64;
const truncate = (name: string) => (name.length > maxNameChars ? `${name.slice(0, maxNameChars)}…` : name);

/** Parses a request. Throws an `HttpProblem`. */
export function parseInput({ schemas = {}, bodyKind }: HttpRoute, raw: RawInput): RouteInput<RouteSchemas> {
  return {
    params: schemas.params && parsePart(schemas.params, raw.params),
    query: schemas.query && parsePart(schemas.query, raw.query),
    headers: schemas.headers && parsePart(schemas.headers, pick(raw.headers, schemas.headers)),
    body: bodyKind === 'bytes' ? undefined : schemas.body && parsePart(schemas.body, jsonOf(raw)),
  } as RouteInput<RouteSchemas>; // each schema gives what the route declares
}

/** Headers that the route does not read are everybody's. */
function pick(headers: IncomingHttpHeaders, schema: z.ZodObject): object {
  return Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => (name in headers ? [[name, headers[name]]] : [])),
  );
}

/** A request without a body is one with an empty object. */
function jsonOf({ body, headers }: RawInput): unknown {
  if (body === null || body.length === 0) return {};
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') throw new HttpProblem('unsupported_media_type');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new HttpProblem('not_json', { message: 'The body is not JSON.', cause });
  }
}

/** Parses one part of a request. Throws an `HttpProblem` that names the field. */
export function parsePart<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, kind, text, limit } = describeIssue(schema, value, parsed.error.issues);
  const field = truncate(pathText(path));
  if (kind === 'unknown')
    throw new HttpProblem('unknown_field', { message: `There is no field "${field}". ${text}`, field });
  if (field === '') throw new HttpProblem('bad_field', { message: `The body ${text}.` });
  const code = valueAt(value, path) === undefined ? 'missing_field' : 'bad_field';
  throw new HttpProblem(code, { message: `The field "${field}" ${text}.`, field, limit });
}
