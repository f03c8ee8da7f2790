// Takes the secrets of a server's configuration out of everything that the server sends or prints: a server may repeat its headers in an error.
import type { LoadedPart } from '../../../machines/content.ts';
import { fieldsOf } from '../../core/collections/fields.ts';
import type { Tool, ToolContext, ToolEnd } from '../../core/contracts/tool.ts';
import type { HttpServer, McpServer, StdioServer } from './server-config.ts';

/** Replaces the secrets in a text. */
export type Redact = (text: string) => string;

const replacement = '[secret]';
/** A shorter value is no secret, and would blank out words. */
const minSecretChars = 8;
/** Headers that say what is sent, not who sends it. */
const plainHeader = /^(accept|content-|user-agent$|mcp-)/i;
/** Variables that are likely to hold a secret, by their names. */
const secretVariable = /key|token|secret|passw|auth|credential/i;

/** Returns the secrets of a server: its headers, those of its variables that have the name of a secret, and what its address has of them. */
export function secretsOf(server: McpServer, environment: NodeJS.ProcessEnv = process.env): readonly string[] {
  const values =
    'command' in server
      ? secretVariables(server, environment)
      : [...headerSecrets(server), ...urlSecrets(server), server.oauth?.clientSecret ?? ''];
  return [...new Set(values)].filter(({ length }) => length >= minSecretChars);
}

function secretVariables({ env = {}, passEnvironment = [] }: StdioServer, from: NodeJS.ProcessEnv) {
  const passed = passEnvironment.map((name) => [name, from[name] ?? ''] as const);
  return [...Object.entries(env), ...passed].flatMap(([name, value]) => (secretVariable.test(name) ? [value] : []));
}

/** The values of the headers, which are secrets; of `Bearer abc…` also the token alone. */
const headerSecrets = ({ headers = {} }: HttpServer): readonly string[] =>
  Object.entries(headers).flatMap(([name, value]) =>
    plainHeader.test(name) ? [] : [value.trim(), ...value.trim().split(/\s+/).slice(1)],
  );

function urlSecrets({ url }: HttpServer): readonly string[] {
  const { password, searchParams } = new URL(url);
  return [decodeURIComponent(password), ...searchParams.values()];
}

/** Creates the replacement of secrets, also as they stand in JSON and in an address. */
export function createRedact(secrets: readonly string[]): Redact {
  const forms = secrets.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((rest, form) => rest.replaceAll(form, replacement), text);
}

/** Returns the value, of JSON, without the secrets in its texts. */
export const redactedJson = <T>(value: T, redact: Redact): T => JSON.parse(redact(JSON.stringify(value)));

/** Returns the part; its text and its name have no secret. The bytes of an image, a sound or a file stay as they are. */
export function redactedPart(part: LoadedPart, redact: Redact): LoadedPart {
  if (part.type === 'text') return { ...part, text: redact(part.text) };
  return part.name === undefined ? part : { ...part, name: redact(part.name) };
}

/** Returns the tool; what its calls print, ask and return, and how the server describes it, has no secret. */
export function withoutSecrets(tool: Tool, redact: Redact): Tool {
  return {
    ...tool,
    description: redact(tool.description),
    input: redactedJson(tool.input, redact),
    async run(input, context) {
      const end = await tool.run(input, shownWithout(context, redact));
      return typeof end === 'string' ? redact(end) : endWithout(end, redact);
    },
  };
}

const shownWithout = (context: ToolContext, redact: Redact): ToolContext => ({
  ...context,
  output: (text) => context.output(redact(text)),
  ask: ({ schema, ...question }) =>
    context.ask({
      ...question,
      text: redact(question.text),
      ...(schema && { schema: redactedJson(schema, redact) }),
    }),
  requestApproval: (question) => context.requestApproval({ ...question, text: redact(question.text) }),
});

function endWithout(end: ToolEnd, redact: Redact): ToolEnd {
  const { message } = fieldsOf(end);
  const { output, parts } = end;
  return {
    ...end,
    output: redact(output),
    ...(parts && { parts: parts.map((part) => redactedPart(part, redact)) }),
    ...(typeof message === 'string' && { message: redact(message) }),
  };
}
