import { KubeClient, type KubeObject, kinds } from '@quartermaster/kube';
import { startRole } from '@quartermaster/runtime/testing';
import { readDeployment } from '@quartermaster/service';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { applyStrictly, deploymentOf } from '../deploy/apply-deployment.ts';
import { askedBy, isRole, isUsed, type Right, rightsOf } from '../deploy/granted-rights.ts';
import { tokenOf } from '../deploy/role-deployment.ts';
import { type ControlPlane, startControlPlane } from '../kube/control-plane.ts';
import { greetingType } from './generated/greeting.ts';
import { greetingRole } from './greeting-operator.ts';
import { greetingDefinition } from './reconcile-greetings.ts';

const namespace = 'quartermaster';
const account = 'greeting-operator';
const patience = { timeout: 30_000, interval: 50 };

/** The operator of the guide, on the real API server, with the account of its own manifests. */
describe('the example operator with its own rights', () => {
  let controlPlane: ControlPlane;
  let admin: KubeClient;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ scheduler: false, controllers: false, audit: 'Request' });
    admin = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
    await admin.create(kinds.namespaces, { metadata: { name: namespace } });
    const objects = [await greetingDefinition(), ...(await readDeployment(deploymentOf(greetingRole)))];
    await applyStrictly(admin, objects);
    await vi.waitFor(() => admin.list(greetingType, { limit: 1 }), patience);
  });

  afterAll(async () => {
    await admin?.close();
    await controlPlane?.stop();
  });

  it('needs each of them, and no other', async () => {
    const kubeconfig = await controlPlane.writeKubeconfig({ user: { token: await tokenOf({ admin, namespace }, account) } });
    const operator = await startRole(greetingRole, { kubeconfig });
    const ref = { namespace: 'default', name: 'hello' };
    const asked = () => askedBy(controlPlane.auditLog ?? '', `system:serviceaccount:${namespace}:${account}`);
    const message = async () => (await admin.find(kinds.configMaps, { ...ref, name: 'hello-greeting' }))?.data?.['message'];
    for (const text of ['good morning', 'good night']) {
      await admin.apply(greetingType, { metadata: ref, spec: { message: text } }, { fieldManager: 'test' });
      await expect.poll(message, patience).toBe(text);
    }
    // The condition was true of the first message already: it must be of the second, or whoever starts again has it to write.
    const isReported = async () => {
      const { metadata, status } = (await admin.find(greetingType, ref)) ?? {};
      return status?.observedGeneration === metadata?.generation && status?.conditions?.[0]?.status;
    };
    await expect.poll(isReported, patience).toBe('True');
    // Neither does one that starts again write what is there already, nor ask for it.
    const others = ({ resource, verb }: Right): boolean => resource !== 'leases' && !['list', 'watch'].includes(verb);
    // What was refused as outdated is no write, and may be logged after its sender is gone.
    const writes = async () => (await asked()).filter((each) => others(each) && each.code !== 409);
    await operator.stop();
    // What it wrote is there for all before the server logs it.
    const { metadata } = await admin.get(greetingType, ref);
    const reports = async () => (await writes()).filter(({ resource, code }) => resource === 'greetings/status' && code === 200);
    const ofLastMessage = { body: { status: { observedGeneration: metadata?.generation } } };
    await vi.waitFor(async () => expect((await reports()).at(-1)).toMatchObject(ofLastMessage), patience);
    const before = await writes();
    const again = await startRole(greetingRole, { kubeconfig });
    const reconciled = async () => (await again.metrics.scrape()).text;
    await expect.poll(reconciled, patience).toMatch(/quartermaster_controller_last_success_timestamp_seconds\{[^}]*\} \d/);
    expect(await writes()).toEqual(before);
    await admin.delete(greetingType, ref);
    await expect.poll(() => admin.find(greetingType, ref), patience).toBeUndefined();
    const objects: readonly KubeObject[] = await readDeployment(deploymentOf(greetingRole));
    // For an apply of what does not exist yet the server asks for the right to create, and logs a patch.
    const isLogged = ({ resource, verb }: Right): boolean => !(resource === 'configmaps' && verb === 'create');
    const granted = objects.filter(isRole).flatMap(rightsOf).filter(isLogged);
    await vi.waitFor(async () => {
      const all = await asked();
      expect(granted.filter((right) => !isUsed(right, all))).toEqual([]);
    }, patience);
    await again.stop();
    expect((await asked()).filter(({ code }) => code === 403 || code === 401)).toEqual([]);
    expect([...operator.complaints, ...again.complaints]).toEqual([]);
  });
});
