import { type Clock, type Log, messageOf, type Random, silentLog, sleep, systemClock } from '@quartermaster/kernel';
import { type KubeClient, kinds } from '@quartermaster/kube';
import type { ChurnSettings } from './scenario.ts';
import { workloadObjects } from './workload-objects.ts';

export type ChurnAction =
  | { readonly kind: 'create'; readonly namespace: string; readonly name: string; readonly replicas: number; readonly gpus: number }
  | { readonly kind: 'scale'; readonly namespace: string; readonly name: string; readonly replicas: number }
  | { readonly kind: 'delete'; readonly namespace: string; readonly name: string };

export interface ChurnStep {
  readonly afterMs: number;
  readonly action: ChurnAction;
}

/**
 * What tenants do, one step after the other, without end. The same settings, namespaces and random numbers give the same steps. About
 * `settings.workloads` workloads exist at any time: below that they are mostly created, above it mostly deleted.
 */
export function* churnSteps(settings: ChurnSettings, namespaces: readonly string[], random: Random): Generator<ChurnStep, never> {
  const alive: { readonly namespace: string; readonly name: string }[] = [];
  const below = (limit: number): number => Math.floor(random.next() * limit);
  for (let number = 1; ; ) {
    // Times between events that do not know of each other are exponential; the shift keeps the logarithm finite.
    const afterMs = Math.round(-settings.everyMs * Math.log(1 - random.next()));
    const fullness = alive.length / settings.workloads;
    const dice = random.next();
    const index = below(alive.length);
    const chosen = alive[index];
    if (chosen === undefined || dice > fullness * 0.75) {
      const namespace = namespaces[below(namespaces.length)] ?? 'default';
      const name = `churn-${number}`;
      number += 1;
      alive.push({ namespace, name });
      const gpus = random.next() < settings.gpuShare ? 1 : 0;
      yield { afterMs, action: { kind: 'create', namespace, name, replicas: 1 + below(settings.replicas), gpus } };
    } else if (random.next() < 0.5) yield { afterMs, action: { kind: 'scale', ...chosen, replicas: below(settings.replicas + 1) } };
    else {
      alive.splice(index, 1);
      yield { afterMs, action: { kind: 'delete', ...chosen } };
    }
  }
}

export interface ChurnOptions {
  readonly client: KubeClient;
  readonly settings: ChurnSettings;
  readonly namespaces: readonly string[];
  readonly random: Random;
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
}

/** Plays the tenants through the API until the signal aborts. What the API refuses is logged, and the next step follows. */
export async function playChurn(
  { client, settings, namespaces, random, clock = systemClock, log = silentLog }: ChurnOptions,
  signal: AbortSignal,
): Promise<void> {
  for (const { afterMs, action } of churnSteps(settings, namespaces, random)) {
    try {
      await sleep(clock, afterMs, signal);
      await perform(client, action, signal);
    } catch (error) {
      if (signal.aborted) return;
      log.warn('failed to change a workload of a tenant', { ...action, error: messageOf(error) });
    }
  }
}

async function perform(client: KubeClient, action: ChurnAction, signal: AbortSignal): Promise<void> {
  const { namespace, name } = action;
  switch (action.kind) {
    case 'create': {
      const workload = {
        name,
        kind: 'Deployment' as const,
        replicas: action.replicas,
        image: 'registry.invalid/churn',
        cpu: '100m',
        memory: '128Mi',
        gpus: action.gpus === 0 ? undefined : { vendor: 'nvidia' as const, count: action.gpus },
      };
      for (const { type, object } of workloadObjects(namespace, workload)) await client.create(type, object, { signal });
      return;
    }
    case 'scale':
      await client.setScale(kinds.deployments, { namespace, name }, action.replicas, { signal });
      return;
    case 'delete':
      await client.delete(kinds.deployments, { namespace, name }, { propagation: 'Background', signal });
  }
}
