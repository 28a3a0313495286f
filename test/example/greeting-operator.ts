import * as ops from '@quartermaster/controller';
import { StatusError, systemClock } from '@quartermaster/kernel';
import { type KubeClient, type KubeWriter, kinds, parseKey, type ReadableCache, startCache } from '@quartermaster/kube';
import { type Greeting, greetings } from './greeting-crd.ts';

const fieldManager = 'greeting-operator';
const label = 'app.kubernetes.io/managed-by';
const finalizer = 'example.quartermaster.dev/directory-entry';

/** The namespace that lists the Greetings of all others. Garbage collection does not reach across namespaces: the finalizer does. */
const directory = 'default';
export const entryRef = (key: string) => ({ namespace: directory, name: `greeting.${key.replace('/', '.')}` });

/** Keeps, for each Greeting, a ConfigMap with its message beside it and an entry in the directory. */
class GreetingReconciler implements ops.Reconciler {
  readonly name = 'greeting';
  readonly #greetings: ReadableCache<Greeting>;
  readonly #writer: KubeWriter;
  readonly #events: ops.EventRecorder;

  constructor(cache: ReadableCache<Greeting>, writer: KubeWriter, events: ops.EventRecorder) {
    this.#greetings = cache;
    this.#writer = writer;
    this.#events = events;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ops.Outcome> {
    const seen = this.#greetings.get(key)?.value;
    if (seen === undefined) return ops.done;
    if (ops.isDeleting(seen)) {
      if (ops.hasFinalizer(seen, finalizer)) await this.#writer.delete(kinds.configMaps, entryRef(key), { signal });
      await ops.removeFinalizer(this.#writer, greetings, seen, finalizer, { signal });
      return ops.done;
    }
    const greeting = await ops.ensureFinalizer(this.#writer, greetings, seen, finalizer, { signal });
    const message = greeting.spec.message;
    if (message.includes('forbidden')) {
      const refusal = new StatusError('invalid_argument', 'spec.message must not contain "forbidden": reword it');
      await this.#report(greeting, { status: 'False', reason: 'MessageRefused', message: refusal.message }, signal);
      throw refusal;
    }
    const { name, namespace = '' } = parseKey(key);
    const labels = { [label]: fieldManager };
    const beside = { metadata: { namespace, name: `${name}-greeting`, labels }, data: { message } };
    const options = { fieldManager, force: true, signal };
    await this.#writer.apply(kinds.configMaps, { metadata: entryRef(key), data: { message } }, options);
    await this.#writer.apply(kinds.configMaps, ops.withOwner(beside, greetings, greeting), options);
    await this.#report(greeting, { status: 'True', reason: 'Greeted', message: `ConfigMap ${name}-greeting holds the message.` }, signal);
    return ops.done;
  }

  async #report(greeting: Greeting, state: Pick<ops.Condition, 'status' | 'reason' | 'message'>, signal: AbortSignal): Promise<void> {
    const observedGeneration = greeting.metadata?.generation ?? 0;
    const before = greeting.status?.conditions ?? [];
    const { conditions } = ops.setCondition(before, { type: 'Ready', observedGeneration, ...state }, ops.conditionTime(systemClock.now()));
    const made = state.status === 'True' ? { configMap: `${greeting.metadata?.name}-greeting` } : {};
    const status = { ...greeting.status, ...made, conditions, observedGeneration };
    await ops.writeStatus(this.#writer, greetings, greeting, status, { fieldManager, signal });
    if (ops.findCondition(before, 'Ready')?.status === state.status) return;
    const notice = { reason: state.reason, action: 'Reconcile', note: state.message };
    this.#events.record(greetings, greeting, state.status === 'True' ? 'Normal' : 'Warning', notice);
  }
}

/** Runs until the signal aborts. All writes go through `writer`: the client, a leader's fenced writer or a dry run. */
export async function runGreetingOperator(client: KubeClient, writer: KubeWriter, signal: AbortSignal, silenceMs = 90_000): Promise<void> {
  const labelSelector = `${label}=${fieldManager}`;
  const cache = startCache(client, { type: greetings, project: (greeting) => greeting, silenceMs });
  const owned = startCache(client, { type: kinds.configMaps, labelSelector, project: ops.controllerOf, silenceMs });
  const events = new ops.EventRecorder({ writer, controller: `${greetings.group}/${fieldManager}`, instance: fieldManager });
  const reconciler = new GreetingReconciler(cache, writer, events);
  await new ops.Controller({
    reconciler,
    sources: [ops.sourceOf(cache), ops.ownedSource(owned, greetings, (owner) => owner)],
    workers: 4,
  }).run(signal);
  await events.flush(AbortSignal.timeout(5000));
  await Promise.all([cache.stop(), owned.stop()]);
}
