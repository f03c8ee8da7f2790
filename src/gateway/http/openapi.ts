// Describes the routes as an OpenAPI 3.1 document, made of the schemas that check the requests.
import * as z from 'zod';
import { subprotocol } from '../../wire/frame-limits.ts';
import { messageOf, type ProblemCode } from './http-codes.ts';
import { problemMediaType, problemSchema } from './problems.ts';
import type { ReplyDeclaration, RouteDeclaration, RouteSchemas } from './route.ts';
import { problemsOf } from './route-problems.ts';

type Json = Readonly<Record<string, unknown>>;

const description = [
  'Say something to a bot, see what runs, and stop a turn, a call or everything.',
  'docs/http.md describes each route, docs/protocol.md each fact and frame, docs/errors.md each code of a problem.',
].join(' ');
const streamDescription =
  'A stream of server-sent events. Each has the type of a frame as `event` and the frame, as JSON, as `data`; a fact has its sequence number as `id`, by which `Last-Event-ID` resumes the stream. A comment comes every 15 s.';

const securitySchemes = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of a speaker; or, without tokens, the key of the gateway.',
  },
  key: { type: 'apiKey', in: 'query', name: 'key', description: 'The key of a gateway without tokens.' },
  metricsToken: { type: 'http', scheme: 'bearer', description: 'The token of the metrics.' },
};
const securityOf = {
  speaker: [{ token: [] }, { key: [] }],
  metrics: [{ metricsToken: [] }, {}],
  anybody: [],
} as const;

/** Returns the document of the routes. */
export function openApiDocument(routes: readonly RouteDeclaration[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Belay',
      version: subprotocol.replace(/^\D+/, ''),
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths,
    components: { securitySchemes, schemas: { Problem: jsonSchemaOf(problemSchema) } },
  };
}

function operationOf(route: RouteDeclaration): Json {
  const { operation, summary, path, access, reader = access, schemas = {} } = route;
  const body = requestBodyOf(route);
  return {
    operationId: operation,
    summary,
    tags: [path.startsWith('/api/') ? path.split('/')[2]?.replace(/\..*/, '') : 'operations'],
    security: securityOf[reader],
    parameters: [
      ...parametersOf('path', schemas.params),
      ...parametersOf('query', schemas.query),
      ...parametersOf('header', schemas.headers),
    ],
    ...(body && { requestBody: body }),
    responses: responsesOf(route),
  };
}

function parametersOf(place: 'path' | 'query' | 'header', schema: RouteSchemas['params']): readonly Json[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(schema) as {
    properties?: Json;
    required?: readonly string[];
  }; // of an object
  return Object.entries(properties).map(([name, type]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: type,
  }));
}

function requestBodyOf({ schemas: { body } = {}, bodyKind }: RouteDeclaration): Json | null {
  if (bodyKind === 'bytes')
    return {
      required: true,
      content: { 'application/octet-stream': {} },
      description: 'The bytes, with any media type.',
    };
  if (!body) return null;
  const schema = jsonSchemaOf(body);
  return {
    required: Array.isArray(schema['required']) || 'oneOf' in schema,
    content: { 'application/json': { schema } },
  };
}

function responsesOf(route: RouteDeclaration): Json {
  const replies = Object.entries(route.replies).map(([status, reply]) => [status, replyOf(reply)] as const);
  const declared = new Map<string, Json>(replies);
  for (const [status, codes] of problemsOf(route)) {
    const reply = declared.get(String(status));
    const problem = problemReplyOf(codes);
    const content = { ...((reply?.['content'] as Json | undefined) ?? {}), ...problem.content }; // made by replyOf
    declared.set(String(status), { ...problem, ...reply, content });
  }
  return Object.fromEntries(declared);
}

function replyOf({ description, schema, mediaType, isStreamToo }: ReplyDeclaration): Json {
  const type = mediaType ?? (schema && 'application/json');
  if (type === undefined) return { description };
  const content = {
    [type]: schema ? { schema: jsonSchemaOf(schema) } : {},
    ...(isStreamToo && { 'text/event-stream': { schema: { type: 'string', description: streamDescription } } }),
  };
  return { description, content };
}

function problemReplyOf(codes: readonly ProblemCode[]): { readonly description: string; readonly content: Json } {
  const schema = {
    allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }],
  };
  const lines = codes.map((code) => `- \`${code}\`: ${messageOf(code)}`);
  return { description: lines.join('\n'), content: { [problemMediaType]: { schema } } };
}

/** A reply may get more fields later, so its schema is that of an input, too: it allows them. */
function jsonSchemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema }) {
      delete jsonSchema.readOnly; // in OpenAPI: never sent
      if (jsonSchema.type !== 'integer') return;
      delete jsonSchema.pattern; // of its digits in an address
      if (typeof jsonSchema.default === 'string') jsonSchema.default = Number(jsonSchema.default);
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return rest;
}
