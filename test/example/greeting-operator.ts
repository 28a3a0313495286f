/** A complete operator, and the page to read first: docs/guides/write-an-operator.md goes through it. */
import * as ops from '@quartermaster/controller';
import { type Clock, StatusError } from '@quartermaster/kernel';
import { type KubeWriter, keyText, kinds, parseKey, type ReadableCache, refOf } from '@quartermaster/kube';
import { declareRole, type RoleBody } from '@quartermaster/runtime';
import type { RoleHost } from '@quartermaster/runtime/host';
import * as z from 'zod';
import { type Greeting, greetingType } from './generated/greeting.ts';

const fieldManager = 'greeting-operator';
const labels = { 'app.kubernetes.io/managed-by': fieldManager };
const finalizer = 'example.quartermaster.dev/directory-entry';

/** The namespace that lists the Greetings of all others. Garbage collection does not reach across namespaces: the finalizer does. */
const directory = 'default';
export const entryRef = (key: string) => ({ namespace: directory, name: `greeting.${key.replace('/', '.')}` });

/** What it is, what it can be told and what it needs. */
export const greetingRole = declareRole({
  name: 'operator-greeting',
  prefix: 'greeting',
  summary: 'Keeps the message of each Greeting in a ConfigMap.',
  settings: { 'greeting-workers': z.number().int().min(1).default(4).describe('Greetings that are reconciled at the same time.') },
  kubernetes: true,
  lease: 'greeting-operator',
  deployment: { folder: new URL('./deploy/', import.meta.url), contracts: [] },
  load: () => Promise.resolve(startGreeting),
});

type ConfigMap = NonNullable<(typeof kinds.configMaps)['shape']>;
/** What a ConfigMap is compared by before it is written. */
const contentOf = (object: ConfigMap) => ({ owner: ops.controllerOf(object), data: object.data });

/** The caches that it reads. */
export const caches = {
  greetings: { type: greetingType, project: (greeting: Greeting) => greeting },
  owned: { type: kinds.configMaps, labelSelector: `app.kubernetes.io/managed-by=${fieldManager}`, project: contentOf },
};

/** What the leader does: one controller, woken by Greetings and by the ConfigMaps that they own. */
async function startGreeting(host: RoleHost<{ 'greeting-workers': number }>): Promise<RoleBody> {
  const [greetings, owned] = await Promise.all([host.caches.open(caches.greetings), host.caches.open(caches.owned)]);
  host.leadership.controller({
    name: 'greetings',
    workers: host.config['greeting-workers'],
    sources: [ops.sourceOf(greetings), ops.ownedSource(owned, greetingType, ({ owner }) => owner)],
    reconciler: (term) => greetingReconciler({ greetings, owned }, term, host.clock),
  });
  return { ready: (signal) => greetings.whenSynced(signal) };
}

type Caches = { readonly [C in keyof typeof caches]: ReadableCache<ReturnType<(typeof caches)[C]['project']>> };
type Hands = Readonly<{ writer: KubeWriter; events: ops.EventRecorder }>;

/** Keeps, for each Greeting, a ConfigMap with its message beside it and an entry in the directory. */
export function greetingReconciler({ greetings, owned }: Caches, { writer, events }: Hands, clock: Clock): ops.Reconciler {
  async function keep(object: ConfigMap, signal: AbortSignal): Promise<void> {
    const entry = owned.get(keyText(refOf(object)));
    if (entry !== undefined && ops.jsonEqual(entry.value, contentOf(object))) return;
    await writer.apply(kinds.configMaps, object, { fieldManager, force: true, decidedOn: entry, signal });
  }

  async function report(greeting: Greeting, state: Pick<ops.Condition, 'status' | 'reason' | 'message'>, signal: AbortSignal) {
    const observedGeneration = greeting.metadata?.generation ?? 0;
    const before = greeting.status?.conditions ?? [];
    const { conditions } = ops.setCondition(before, { type: 'Ready', observedGeneration, ...state }, ops.conditionTime(clock.now()));
    const made = state.status === 'True' ? { configMap: `${greeting.metadata?.name}-greeting` } : {};
    const status = { ...greeting.status, ...made, conditions, observedGeneration };
    await ops.writeStatus(writer, greetingType, greeting, status, { fieldManager, signal });
    if (ops.findCondition(before, 'Ready')?.status === state.status) return;
    const notice = { reason: state.reason, action: 'Reconcile', note: state.message };
    events.record(greetingType, greeting, state.status === 'True' ? 'Normal' : 'Warning', notice);
  }

  async function reconcile(key: string, signal: AbortSignal): Promise<ops.Outcome> {
    const seen = greetings.get(key)?.value;
    if (seen === undefined) return ops.done;
    if (ops.isDeleting(seen)) {
      if (ops.hasFinalizer(seen, finalizer)) await writer.delete(kinds.configMaps, entryRef(key), { signal });
      await ops.removeFinalizer(writer, greetingType, seen, finalizer, { signal });
      return ops.done;
    }
    const greeting = await ops.ensureFinalizer(writer, greetingType, seen, finalizer, { signal });
    const message = greeting.spec.message;
    if (message.includes('forbidden')) {
      const refusal = 'spec.message must not contain "forbidden": reword it';
      await report(greeting, { status: 'False', reason: 'MessageRefused', message: refusal }, signal);
      throw new StatusError('invalid_argument', refusal);
    }
    const { name, namespace } = parseKey(key);
    const beside = { metadata: { namespace, name: `${name}-greeting`, labels }, data: { message } };
    await keep({ metadata: { ...entryRef(key), labels }, data: { greeting: key } }, signal);
    await keep(ops.withOwner(beside, greetingType, greeting), signal);
    await report(greeting, { status: 'True', reason: 'Greeted', message: `ConfigMap ${name}-greeting holds the message.` }, signal);
    return ops.done;
  }
  return { name: 'greeting', reconcile };
}
