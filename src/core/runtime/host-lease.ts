// The lease of this host in the store: one for all its sessions, renewed as long as the runtime is open.
//
// 1. It runs by the clock of the machine, also where the sessions have a fake one: the store and other hosts do not follow that.
// 2. When it is lost, all sessions of this host are lost. The next session that is opened starts another lease, as another host.

import { Fenced, type HostProcess, type Log } from '../contracts/log.ts';
import type { Clock, Disarm, Ids } from '../sources/sources.ts';

/** The number of renewals within `leaseMs`. If all of them fail, the lease is lost. */
const renewals = 4;

/** `fenced`: another host has ended the lease. `store_failed`: it has run out, because the store did not write the renewals. */
export type LeaseLoss = 'fenced' | 'store_failed';

export interface HostLeaseOptions {
  readonly log: Log;
  /** The name of this host, which it keeps over its restarts; undefined: its first id. */
  readonly name: string | undefined;
  readonly process: HostProcess | null;
  /** The time for which a renewal holds, in milliseconds. */
  readonly leaseMs: number;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Called after each renewal. */
  onRenewed(): void;
  /** Called at most once for each lease. `error`: why the last renewals failed; null: the store has not responded since the last one that it wrote. */
  onLost(reason: LeaseLoss, error: unknown): void;
}

/** `missed`: the number of renewals in a row that the store has not written. `error`: of the last one of these that it has rejected. */
type State =
  | { readonly kind: 'none' | 'ended' }
  | { readonly kind: 'starting'; readonly started: Promise<string> }
  | { readonly kind: 'running'; readonly host: string; missed: number; error: unknown; disarm: Disarm };

export class HostLease {
  readonly #options: HostLeaseOptions;
  /**
   * The name of the host. Starting a lease ends an earlier one of the same name, so a lease that this host has lost does not hold it off. Undefined
   * after another host has used the name: two hosts must not end each other's leases in turn.
   */
  #name: string | undefined;
  #state: State = { kind: 'none' };

  constructor(options: HostLeaseOptions) {
    this.#options = options;
    this.#name = options.name;
  }

  /** Resolves with the id of this host as soon as its lease runs; starts one if there is none. Rejects with `StoreFailed`. */
  hold(): Promise<string> {
    if (this.#state.kind === 'running') return Promise.resolve(this.#state.host);
    if (this.#state.kind === 'starting') return this.#state.started;
    const started = this.#start();
    this.#state = { kind: 'starting', started };
    return started;
  }

  /** Ends the lease, also one that is being started. To be called after the last session was released. */
  async endLease(): Promise<void> {
    const state = this.#state;
    this.#state = { kind: 'ended' };
    if (state.kind === 'running') state.disarm();
    const host = state.kind === 'running' ? state.host : await startedHost(state);
    if (host !== null) await this.#options.log.endLease(host);
  }

  async #start(): Promise<string> {
    const { log, ids, process, leaseMs } = this.#options;
    const id = ids('host');
    this.#name ??= id;
    try {
      await log.startLease({ id, name: this.#name, process }, leaseMs);
    } catch (error) {
      if (this.#state.kind === 'starting') this.#state = { kind: 'none' };
      throw error;
    }
    if (this.#state.kind === 'starting') this.#run(id);
    return id;
  }

  #run(host: string): void {
    const running = { kind: 'running' as const, host, missed: 0, error: null, disarm: () => {} };
    this.#state = running;
    this.#armRenewal(running);
  }

  #armRenewal(running: Running): void {
    const { clock, leaseMs } = this.#options;
    running.disarm = clock.after(Math.ceil(leaseMs / renewals), () => this.#renew(running));
  }

  #renew(running: Running): void {
    const { log, leaseMs } = this.#options;
    if (running.missed >= renewals - 1) return this.#lose(running, 'store_failed');
    running.missed++;
    log.renewLease(running.host, leaseMs).then(
      () => {
        running.missed = 0;
        running.error = null;
        if (this.#state === running) this.#options.onRenewed();
      },
      (error: unknown) => {
        running.error = error;
        if (error instanceof Fenced) this.#lose(running, 'fenced');
      },
    );
    this.#armRenewal(running);
  }

  #lose(running: Running, reason: LeaseLoss): void {
    if (this.#state !== running) return;
    running.disarm();
    this.#state = { kind: 'none' };
    if (reason === 'fenced') this.#name = undefined;
    this.#options.onLost(reason, running.error);
  }
}

type Running = Extract<State, { readonly kind: 'running' }>;

/** Resolves with the host whose lease is being started, as soon as it runs; null: none is, or its start has failed. */
const startedHost = async (state: Exclude<State, Running>): Promise<string | null> =>
  state.kind === 'starting' ? state.started.catch(() => null) : null;
