// Finds the message, the code and the status in the body of an error, whatever its shape: endpoints agree on none.
//
//   {"error": {"message": "…", "code": "…"}}       OpenAI, Anthropic, Azure; Google puts it into a list
//   {"error": "…"}                                  Ollama, LM Studio
//   {"error": {"message": "Provider returned error", "metadata": {"raw": "{…}"}}}     OpenRouter: the cause is in `raw`
//   {"detail": "…"}, {"detail": [{"loc": […], "msg": "…"}]}    FastAPI: vLLM, Mistral
//   {"object": "error", "message": "…"}, {"errors": […]}, {"base_resp": {"status_msg": "…"}}, a page of a proxy, a plain text
import { fieldsOf, type UntrustedFields } from '../../core/collections/fields.ts';
import { visibleLine } from '../../core/text/visible-line.ts';

export interface ErrorContent {
  /** In the endpoint's words; empty: it has none. */
  readonly message: string;
  /** The names of the error: its code and its type. */
  readonly names: readonly string[];
  /** A status that stands in the body; null: none. */
  readonly status: number | null;
}

/** Reads an error: a text, which may be JSON, or a value. */
export function readError(body: unknown): ErrorContent {
  const value = typeof body === 'string' ? parsed(body) : body;
  const objects = errorObjects(value, 0);
  const fields = objects.flatMap(({ code, type, status }) => [code, type, status]);
  const names = fields.filter((name) => typeof name === 'string');
  const status = fields.map(Number).find((number) => number >= 400 && number < 600);
  const message = unique(messagesOf(value, 0)).join(' ') || visibleLine(textOf(body));
  return { message, names, status: status ?? null };
}

/** An error that contains others nests them no deeper; a body is untrusted. */
const maxDepth = 6;
/** Fields with a message, the more precise ones first. */
const messageFields = ['message', 'Message', 'msg', 'error_description', 'detail', 'details', 'status_msg', 'title'];
/** Fields with further errors. */
const nestedFields = ['error', 'errors', 'base_resp', 'metadata', 'raw'];

/** Visits each value of the body once at most. */
function messagesOf(value: unknown, depth: number): readonly string[] {
  if (depth > maxDepth) return [];
  if (typeof value === 'string') {
    const inner = parsed(value);
    return typeof inner === 'string' ? [visibleLine(inner)] : messagesOf(inner, depth + 1);
  }
  if (Array.isArray(value)) return value.flatMap((each) => messagesOf(each, depth + 1));
  if (typeof value !== 'object' || value === null) return [];
  const fields = fieldsOf(value);
  const own = messageFields.map((name) => messagesOf(fields[name], depth + 1)).find((texts) => texts.some(Boolean));
  const nested = nestedFields.flatMap((name) => messagesOf(fields[name], depth + 1));
  return [...(own ?? []).map((text) => withPlace(text, fields['loc'])), ...nested];
}

/** Names the field that FastAPI complains about, like `body.messages.0: Field required`. */
const withPlace = (text: string, place: unknown): string =>
  Array.isArray(place) ? `${place.join('.')}: ${text}` : text;

function errorObjects(value: unknown, depth: number): readonly UntrustedFields[] {
  if (depth > maxDepth || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each) => errorObjects(each, depth + 1));
  const fields = fieldsOf(value);
  const nested = ['error', 'errors'].flatMap((name) => errorObjects(fields[name], depth + 1));
  return [...nested, fields];
}

/** Returns the JSON of a text that begins like an object or a list; else the text. */
function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The text of a body without a message that is known. */
const textOf = (body: unknown): string => (typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));

const unique = (texts: readonly string[]): readonly string[] => [...new Set(texts.filter((text) => text !== ''))];
