import { type ChildProcess, spawn } from 'node:child_process';
import { type Clock, limit, messageOf } from '@quartermaster/kernel';
import type { MarketOrder } from '../market/market.ts';
import { parseDecimal } from '../model/decimal.ts';
import type { Plan } from '../placement/plan.ts';
import type { Unit } from '../placement/request.ts';
import { cardsOfReplicas, checkedQuote, endpointsOf, noPrice, type Pricing, type Quoted } from './pricing.ts';

export interface PriceProgramOptions {
  /** Absolute. */
  readonly path: string;
  readonly timeoutMs: number;
  /** Of its data; 0 for no limit of its own. */
  readonly memoryBytes: number;
  /** How many run at the same time. */
  readonly atOnce: number;
  readonly clock: Clock;
}

/** util-linux has it: a process cannot be given limits by Node, and no shell is to be between. */
export const limiter = '/usr/bin/prlimit';

const maxOutput = 1024;
/** How long one may wait for its turn, in times of the limit of a run. */
const patience = 3;
const closingMs = 500;

/** Prices by a program of the provider's: the order as JSON on its input, a decimal number on its output. It gets nothing else: neither our environment nor our files. */
export function programPricing(options: PriceProgramOptions, digits: number): Pricing {
  const { path, timeoutMs, atOnce, clock } = options;
  const waitMs = timeoutMs * patience;
  const limited = limit(atOnce, {
    clock,
    waitMs,
    message: `${path} is running ${atOnce === 1 ? 'once' : `${atOnce} times`}, and there was no turn within ${waitMs} ms`,
  });
  return {
    quote: async ({ order, plan }, signal) => {
      const input = JSON.stringify(programInput(order, plan, digits));
      const env = { AKASH_OWNER: order.order.owner, AKASH_DENOM: order.maxPrice.denom };
      const ran = await limited(() => run(options, input, env, signal));
      return ran.kind === 'failed' ? failed(`${path} ${ran.why}`) : quoted(order, ran.output, path, digits);
    },
  };
}

function quoted(order: MarketOrder, output: string, path: string, digits: number): Quoted {
  const text = output.trim();
  const amount = parseDecimal(text);
  if (amount === undefined || amount === 0n)
    return failed(
      `${path} wrote ${JSON.stringify(text.slice(0, 60))}; it must write a decimal number above zero, of at most 18 digits after the point`,
    );
  return checkedQuote(order, amount, digits, new Map());
}

const failed = (message: string): Quoted => noPrice({ code: 'PriceFailed', message });

/** What the ecosystem's price scripts read. */
export function programInput(order: MarketOrder, plan: Plan, digits: number): object {
  return {
    resources: order.request.units.map((unit) => ({
      memory: unit.memoryBytes,
      cpu: unit.cpuMillis,
      gpu: { units: unit.gpus?.count ?? 0, attributes: gpuAttributes(unit, plan) },
      storage: unit.volumes.map((volume) => ({ class: volume.kind === 'persistent' ? volume.class : volume.kind, size: volume.bytes })),
      count: unit.count,
      endpoint_quantity: endpointsOf(order, unit),
      ip_lease_quantity: unit.leasedIps?.length ?? 0,
    })),
    price: order.maxPrice,
    price_precision: digits,
  };
}

/** Of the cards that it would get; the contract has one model for each vendor. */
function gpuAttributes(unit: Unit, plan: Plan): object {
  const groups = cardsOfReplicas(plan, unit.id).flat();
  if (unit.gpus === undefined || groups.length === 0) return {};
  const vendor = groups.toReversed().map(({ vendor: name, model, memoryBytes, interface: form }) => {
    const ram = memoryBytes === 0 ? undefined : `${Math.round(memoryBytes / 2 ** 30)}Gi`;
    return [name, { model, ram, interface: form === '' ? undefined : form.toLowerCase().replace(/\d+$/, '') }] as const;
  });
  return { vendor: Object.fromEntries<object>(vendor) };
}

type Ran = { readonly kind: 'ran'; readonly output: string } | { readonly kind: 'failed'; readonly why: string };

function run(
  { path, timeoutMs, memoryBytes, clock }: PriceProgramOptions,
  input: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Ran> {
  const { promise, resolve, reject } = Promise.withResolvers<Ran>();
  // A process group of its own, so that what it starts ends with it.
  const options = { env: { ...env }, cwd: '/', detached: true, shell: false, stdio: 'pipe' } as const;
  const child = memoryBytes === 0 ? spawn(path, [], options) : spawn(limiter, [`--data=${memoryBytes}`, '--core=0', '--', path], options);
  child.on('error', (error) => resolve({ kind: 'failed', why: `cannot be started: ${messageOf(error)}` }));
  // Where a process may open no more files, there are not even pipes.
  if (child.pid === undefined) return promise;
  let output = '';
  let errors = '';
  let ending: Ran | undefined;
  let cancelWait = (): void => {};
  const finishSoon = (): void => {
    cancelWait();
    cancelWait = clock.schedule(closingMs, finish);
  };
  const end = (why: string): void => {
    ending ??= { kind: 'failed', why };
    killGroup(child);
    // One that hangs in the kernel does not end when it is killed: it is not waited for.
    finishSoon();
  };
  const cancel = clock.schedule(timeoutMs, () => end(`did not end within ${timeoutMs} ms`));
  const abort = (): void => {
    end('was stopped');
    reject(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString('latin1');
    if (output.length > maxOutput) end(`wrote more than ${maxOutput} bytes`);
  });
  child.stderr.on('data', (data: Buffer) => {
    if (errors.length < maxOutput) errors += data.toString('utf8').slice(0, maxOutput);
  });
  // It need not read all of it.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  child.on('exit', (code, killed) => {
    if (ending === undefined && code !== 0) {
      const [line = ''] = errors.trim().split('\n');
      ending = { kind: 'failed', why: `ended with ${killed ?? `status ${code}`}${line === '' ? '' : `: ${line.slice(0, 200)}`}` };
    }
    // Who was left behind in its group would hold the pipes open; who has left the group is not waited for.
    killGroup(child);
    finishSoon();
  });
  child.on('close', finish);
  function finish(): void {
    cancel();
    cancelWait();
    signal.removeEventListener('abort', abort);
    killGroup(child);
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
    child.unref();
    resolve(ending ?? { kind: 'ran', output });
  }
  return promise;
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody is left in it.
  }
}
