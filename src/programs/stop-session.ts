// Sends the CANCEL of a session or a node, and waits for its receipt.
import type { CancelAccepted, CancelSettled, Refusal } from '../../machines/facts.ts';
import { fieldsOf } from '../core/collections/fields.ts';
import { type CancelReport, cancelsOf, type NamedNode } from '../core/reports/cancel-report.ts';
import { systemSources } from '../core/sources/system.ts';
import { errorText } from '../core/text/error-text.ts';
import type { GatewayReply, GatewayRequests } from './gateway-requests.ts';

export interface StopOptions {
  readonly reason: string | undefined;
  readonly force: boolean;
  /** The same for all CANCELs of a command: one that is sent again is a repeat. */
  readonly idempotencyKey: string;
}

export interface StopTarget {
  readonly kind: 'session' | 'node';
  readonly id: string;
}

/** What became of a CANCEL. `id`: of its session or node. */
export type StopResult = { readonly id: string } & (
  | { readonly result: 'stopped'; readonly session: string; readonly report: CancelReport }
  /** It was accepted, and has not settled while the command waited. */
  | { readonly result: 'stopping'; readonly session: string; readonly report: CancelReport }
  | { readonly result: 'refused'; readonly message: string; readonly refused: readonly Refusal[] }
  | { readonly result: 'nothing_runs' }
  /** The gateway did not accept the CANCEL. `code`: from docs/errors.md. */
  | { readonly result: 'failed'; readonly code: string | null; readonly message: string }
);

/** A CANCEL that was accepted, or the result of one that was not. */
export type SentStop = StopResult | AcceptedStop;

export interface AcceptedStop {
  readonly result: 'accepted';
  readonly target: StopTarget;
  readonly session: string;
  readonly at: number;
  readonly receipt: CancelAccepted;
}

/** Sends a CANCEL. Never rejects. */
export async function sendStop(gateway: GatewayRequests, target: StopTarget, options: StopOptions): Promise<SentStop> {
  try {
    return sentStop(target, await postStop(gateway, target, options));
  } catch (error) {
    return { id: target.id, result: 'failed', code: null, message: errorText(error) };
  }
}

/** Waits until what was accepted has settled. `names`: of what ran. Never rejects. */
export async function settleStop(
  gateway: GatewayRequests,
  { target, session, at, receipt }: AcceptedStop,
  options: StopOptions,
  names: ReadonlyMap<string, NamedNode>,
): Promise<StopResult> {
  const accepted = { ...receipt, at };
  const common = { id: target.id, session };
  const wait = () => postStop(gateway, target, options, { wait: 'settled' });
  // a connection that was lost meanwhile says nothing about the stop
  const { status, body } = await wait().catch(() => wait().catch(() => noReply));
  if (status !== 200) return { ...common, result: 'stopping', report: reportOf([accepted], names) };
  const settled = { ...(body as unknown as CancelSettled), at: systemSources.clock.now() }; // docs/http.md: the fields of the frame
  return { ...common, result: 'stopped', report: reportOf([accepted, settled], names) };
}

const noReply = { status: 0, body: {} };

function postStop(
  gateway: GatewayRequests,
  { kind, id }: StopTarget,
  { reason, force, idempotencyKey }: StopOptions,
  query: Readonly<Record<string, string>> = {},
): Promise<GatewayReply> {
  const body = { ...(reason !== undefined && { reason }), force };
  return gateway.send('POST', `/api/${kind}s/${encodeURIComponent(id)}/abort`, { query, body, idempotencyKey });
}

function sentStop(target: StopTarget, { status, body, code, message }: GatewayReply): SentStop {
  const { id } = target;
  if (status === 202) {
    const receipt = body as unknown as CancelAccepted; // docs/http.md: the fields of the frame
    return { result: 'accepted', target, session: String(body['session']), at: systemSources.clock.now(), receipt };
  }
  // an earlier CANCEL has stopped it already
  if (status === 200 || code === 'already_settled') return { id, result: 'nothing_runs' };
  const refused = refusalsOf(body['refused']);
  return refused.length > 0 ? { id, result: 'refused', message, refused } : { id, result: 'failed', code, message };
}

const refusalsOf = (refused: unknown): readonly Refusal[] =>
  Array.isArray(refused)
    ? refused.map((each) => {
        const { node, reason } = fieldsOf(each);
        return { node: String(node), reason: String(reason) };
      })
    : [];

type Timed<T> = T & { readonly at: number };

/** The report of a receipt whose frames are all that there is of its session. */
function reportOf(
  receipt: readonly (Timed<CancelAccepted> | Timed<CancelSettled>)[],
  names: ReadonlyMap<string, NamedNode>,
): CancelReport {
  const [report] = cancelsOf(receipt.map((fact) => ({ seq: 0, fact })));
  if (!report) throw new Error('A receipt has no acceptance.');
  const named = <T extends NamedNode>(node: T): T => ({ ...node, ...names.get(node.node) });
  return { ...report, nodes: report.nodes.map(named), ranOn: report.ranOn.map(named) };
}
