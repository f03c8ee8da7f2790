// The generateContent API of Google, as a stand-in plays it: the calls of the current turn carry their thought signatures.
import {
  type Dialect,
  type EndpointRefusal,
  fieldsNotIn,
  halves,
  hangs,
  type Play,
  type SeenRequest,
} from './stand-in.ts';

// biome-ignore lint/suspicious/noExplicitAny: parts of a request, whose fields the rules look at
type Part = any;

const bodyFields = [
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
  'safetySettings',
  'cachedContent',
  'labels',
  'serviceTier',
];
const partFields = [
  'text',
  'thought',
  'thoughtSignature',
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
];
/** Google's documented placeholder for a signature that is not known. */
const placeholder = 'skip_thought_signature_validator';

/** Returns the rules of the endpoint for one conversation with a model of Gemini 3 or later. */
export function googleGenerateContent(): Dialect {
  const signatures = new Set<string>([placeholder]);
  let count = 0;
  const newId = (prefix: string) => `${prefix}-${++count}`;
  return {
    basePath: '/v1beta',
    check: (request) => checkRequest(request, signatures),
    errorBody: ({ status, message }) => ({ error: { code: status, message, status: 'INVALID_ARGUMENT' } }),
    pieces: (play) => chunks(play, signatures, newId),
  };
}

const bad = (message: string, status = 400): EndpointRefusal => ({ status, message });

function checkRequest({ path, headers, body }: SeenRequest, signatures: ReadonlySet<string>): EndpointRefusal | null {
  if (!/^\/v1beta\/models\/[\w.-]+:streamGenerateContent\?alt=sse$/.test(path)) return bad(`Not found: ${path}`, 404);
  if (!headers['x-goog-api-key']) return bad('API key not valid. Please pass a valid API key.', 400);
  const [unknown] = fieldsNotIn(body, bodyFields);
  if (unknown) return bad(`Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`);
  return checkContents(body.contents, signatures) ?? checkSignatures(body.contents, signatures);
}

const callsIn = ({ parts }: Part): readonly Part[] => parts.filter(({ functionCall }: Part) => functionCall);
const responsesIn = ({ parts }: Part): readonly Part[] =>
  parts.filter(({ functionResponse }: Part) => functionResponse);

function checkContents(contents: readonly Part[], signatures: ReadonlySet<string>): EndpointRefusal | null {
  for (const [i, content] of contents.entries()) {
    const { role, parts } = content;
    if (role !== 'user' && role !== 'model') return bad('Please use a valid role: user, model.');
    if (parts.length === 0)
      return bad(`GenerateContentRequest.contents[${i}].parts: contents.parts must not be empty.`);
    for (const part of parts) {
      const [unknown] = fieldsNotIn(part, partFields);
      if (unknown) return bad(`Unknown name "${unknown}" at 'contents[${i}].parts[0]': Cannot find field.`);
      if (part.text === '' && !part.thoughtSignature)
        return bad('Unable to submit request because it has an empty text parameter.');
      if (part.thoughtSignature && !signatures.has(part.thoughtSignature)) return bad('Corrupted thought signature.');
    }
    const calls = callsIn(content);
    const responses = contents[i + 1] ? responsesIn(contents[i + 1]) : [];
    // router-for-me/CLIProxyAPI#2104
    const nameless = responses.findIndex(({ functionResponse: { name } }) => !name);
    if (nameless >= 0)
      return bad(
        `* GenerateContentRequest.contents[${i + 1}].parts[${nameless}].function_response.name: Name cannot be empty.`,
      );
    if (calls.length > 0 && contents[i - 1]?.role !== 'user')
      return bad(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      );
    if (calls.length !== responses.length)
      return bad(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      );
    const strange = responses.find(
      ({ functionResponse: { id, name } }, j) =>
        !calls.some(({ functionCall: call }, k) => call.name === name && (id === undefined ? k === j : call.id === id)),
    );
    if (strange) return bad(`Function response ${strange.functionResponse.name} matches no function call.`);
  }
  return contents.at(-1)?.role === 'user' ? null : bad('Please ensure that the last content is of the user.');
}

/** Requires a signature at the first call of each step of the current turn. The turn starts with the last words of the user. */
function checkSignatures(contents: readonly Part[], signatures: ReadonlySet<string>): EndpointRefusal | null {
  const start = contents.findLastIndex((content) => content.role === 'user' && responsesIn(content).length === 0);
  for (const content of contents.slice(start + 1)) {
    const [first] = callsIn(content);
    if (first && !signatures.has(first.thoughtSignature))
      return bad(`Function call is missing a thought_signature in functionCall parts: ${first.functionCall.name}.`);
  }
  return null;
}

const chunk = (parts: readonly object[], more: object = {}): string =>
  `data: ${JSON.stringify({
    candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
    usageMetadata: {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 15,
      thoughtsTokenCount: 5,
      totalTokenCount: 120,
    },
    modelVersion: 'gemini',
    responseId: 'response-1',
  })}\n\n`;

function* chunks(
  play: Play,
  signatures: Set<string>,
  newId: (prefix: string) => string,
): Generator<string | typeof hangs> {
  if (play.reasoning !== undefined) yield* texts(play.reasoning, { thought: true }, play.hang === 'reasoning');
  if (play.text !== undefined) yield* texts(play.text, {}, play.hang === 'text');
  const calls = play.calls ?? [];
  for (const [i, [name, args, id = newId('call')]] of calls.entries()) {
    // calls come whole
    if (play.hang === 'arguments' && i === calls.length - 1) yield hangs;
    const signature = i === 0 ? { thoughtSignature: newId('signature') } : {};
    if (signature.thoughtSignature) signatures.add(signature.thoughtSignature);
    yield chunk([{ functionCall: { id, name, args }, ...signature }]);
  }
  if (play.ends === 'error') {
    yield `data: ${JSON.stringify({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } })}\n\n`;
    return;
  }
  const thoughtSignature = newId('signature');
  signatures.add(thoughtSignature);
  const reasons = { length: 'MAX_TOKENS', filter: 'SAFETY', refusal: 'PROHIBITED_CONTENT' } as const;
  const isText = play.text !== undefined && calls.length === 0;
  yield chunk(isText ? [{ text: '', thoughtSignature }] : [], {
    finishReason: play.ends ? reasons[play.ends] : 'STOP',
  });
}

function* texts(text: string, more: object, isHanging: boolean): Generator<string | typeof hangs> {
  const [first, second] = halves(text);
  yield chunk([{ text: first, ...more }]);
  if (isHanging) yield hangs;
  if (second !== '') yield chunk([{ text: second, ...more }]);
}
