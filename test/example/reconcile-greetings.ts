import { Controller, EventRecorder, ownedSource, sourceOf } from '@quartermaster/controller';
import { systemClock } from '@quartermaster/kernel';
import { type KubeClient, type KubeWriter, type kinds, startCache } from '@quartermaster/kube';
import { readManifests } from '@quartermaster/service';
import { greetingType } from './generated/greeting.ts';
import { caches, greetingReconciler } from './greeting-operator.ts';

type Definition = NonNullable<(typeof kinds.customResourceDefinitions)['shape']>;

/** To be applied before the operator starts; one that starts earlier waits for it. */
export async function greetingDefinition(): Promise<Definition> {
  const [definition] = await readManifests(new URL('./', import.meta.url), ['greeting']);
  return definition as Definition;
}

/** The reconciler without its host, until the signal aborts: for a dry run, and for a client and a patience of the test's own. */
export async function reconcileGreetings(client: KubeClient, writer: KubeWriter, signal: AbortSignal, silenceMs = 90_000): Promise<void> {
  const cache = startCache(client, { ...caches.greetings, silenceMs });
  const owned = startCache(client, { ...caches.owned, silenceMs });
  const events = new EventRecorder({ writer, controller: 'example.quartermaster.dev/greetings', instance: 'test' });
  const reconciler = greetingReconciler({ greetings: cache, owned }, { writer, events }, systemClock);
  const sources = [sourceOf(cache), ownedSource(owned, greetingType, ({ owner }) => owner)];
  await new Controller({ reconciler, sources, workers: 4 }).run(signal);
  await events.flush(AbortSignal.timeout(5000));
  await Promise.all([cache.stop(), owned.stop()]);
}
