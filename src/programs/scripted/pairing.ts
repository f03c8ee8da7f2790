// Rejects the messages of a request as a provider does, in its own words: above all calls and results that do not pair.
import type { WireMessage } from './reply.ts';

export interface Rejection {
  readonly message: string;
  readonly param: string;
}

/** The first thing wrong with the messages, or null. The results of calls come directly after the message of the calls, one for each id. */
export function findRejection(messages: readonly WireMessage[]): Rejection | null {
  for (let i = 0; ; ) {
    const message = messages[i];
    if (!message) return null;
    if (message.role === 'tool') {
      return {
        message:
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        param: `messages.[${i}].role`,
      };
    }
    const wrong = wrongByItself(message, i);
    if (wrong) return wrong;
    const results = resultsAfter(messages, i);
    const unpaired = message.tool_calls ? unpairedIn(message.tool_calls, results, i) : null;
    if (unpaired) return unpaired;
    i += 1 + (message.tool_calls ? results.length : 0);
  }
}

function resultsAfter(messages: readonly WireMessage[], at: number): readonly WireMessage[] {
  const end = messages.findIndex((message, i) => i > at && message.role !== 'tool');
  return messages.slice(at + 1, end === -1 ? messages.length : end);
}

function wrongByItself(message: WireMessage, at: number): Rejection | null {
  if (!['system', 'developer', 'user', 'assistant'].includes(message.role)) {
    return {
      message: `Invalid value: '${message.role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.`,
      param: `messages[${at}].role`,
    };
  }
  if (message.tool_calls?.length === 0) {
    return {
      message: `Invalid 'messages[${at}].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
      param: `messages[${at}].tool_calls`,
    };
  }
  if (!message.tool_calls && (message.content === null || message.content === undefined)) {
    return { message: "Invalid value for 'content': expected a string, got null.", param: `messages.[${at}].content` };
  }
  const badName = (message.tool_calls ?? []).findIndex((call) => !/^[a-zA-Z0-9_-]{1,64}$/.test(call.function.name));
  if (badName !== -1) {
    const param = `messages[${at}].tool_calls[${badName}].function.name`;
    return {
      message: `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      param,
    };
  }
  return null;
}

function unpairedIn(
  calls: NonNullable<WireMessage['tool_calls']>,
  results: readonly WireMessage[],
  at: number,
): Rejection | null {
  const ids = calls.map((call) => call.id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) {
    return {
      message: `Invalid parameter: Duplicate value for 'tool_call_id' of '${twice}' in message[${at}].`,
      param: `messages.[${at}].tool_calls`,
    };
  }
  const answered = new Set<string>();
  for (const [i, result] of results.entries()) {
    const id = result.tool_call_id ?? '';
    const param = `messages.[${at + 1 + i}].tool_call_id`;
    if (!ids.includes(id)) {
      return {
        message: `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
        param,
      };
    }
    if (answered.has(id)) {
      return { message: `Invalid parameter: Duplicate value for 'tool_call_id' of '${id}' in message[${at}].`, param };
    }
    answered.add(id);
  }
  const missing = ids.filter((id) => !answered.has(id));
  if (missing.length === 0) return null;
  return {
    message:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      `The following tool_call_ids did not have response messages: ${missing.join(', ')}`,
    param: `messages.[${at + 1}].role`,
  };
}
