// Reads the response to a call: whether the call ends with it, and the result of one that was stopped.
import { type CallToolResult, isCallToolResult, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { fieldsOf } from '../../core/collections/untrusted-fields.ts';

const resultIn = (response: JSONRPCMessage): object | undefined => ('result' in response ? response.result : undefined);

/** Whether the call ends with the response. It goes on as another request if the server asks for an answer, or has made a task of it. */
export function isLast(response: JSONRPCMessage): boolean {
  const { resultType, task } = fieldsOf(resultIn(response));
  return resultType !== 'input_required' && task === undefined;
}

/** The result in a response to a stopped call; left out if it is an error, or no result of a call. */
export function lateResultOf(response: JSONRPCMessage): CallToolResult | undefined {
  const result = resultIn(response);
  return isCallToolResult(result) ? result : undefined;
}
