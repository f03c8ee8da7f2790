// Calls of tools that can only be run as tasks: the response to the call names a task, and another request gets its result.
import { type CallToolResult, type Client, type RequestOptions, specTypeSchemas } from '@modelcontextprotocol/client';
import { withoutTimeout } from './sdk-client.ts';

/** How long a server keeps the result of a task, in milliseconds: it is asked for at once. */
const taskTtlMs = 3_600_000;

export interface TaskRequest {
  readonly params: { readonly name: string; readonly arguments: Record<string, unknown> };
  readonly options: RequestOptions;
  /** Called as soon as the server has named the task. */
  onTask(id: string): void;
}

/** Starts the task and resolves with its result. Rejects with what the SDK throws. */
export async function requestTask(client: Client, { params, options, onTask }: TaskRequest): Promise<CallToolResult> {
  const start = { method: 'tools/call', params: { ...params, task: { ttl: taskTtlMs } } };
  const { task } = await client.request(start, specTypeSchemas.CreateTaskResult, options);
  onTask(task.taskId);
  return await client.request(
    { method: 'tasks/result', params: { taskId: task.taskId } },
    specTypeSchemas.CallToolResult,
    options,
  );
}

/** Resolves when the server says that the task is cancelled, or over. */
export async function cancelTask(client: Client, taskId: string): Promise<void> {
  await client.request(
    { method: 'tasks/cancel', params: { taskId } },
    specTypeSchemas.CancelTaskResult,
    withoutTimeout,
  );
}
