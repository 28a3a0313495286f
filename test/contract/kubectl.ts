import { kinds } from '@quartermaster/kube';
import { describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { uniqueGroup, widgetDefinition } from './client-custom-kind.ts';
import { configMap, deployment, patience, pod, podNamespace, uniqueName } from './client-fixtures.ts';
import type { ContractServer } from './contract-server.ts';
import { kubectlFixture } from './kubectl-fixture.ts';

const configMaps = { apiVersion: 'v1', kind: 'ConfigMap' };
const deployments = { apiVersion: 'apps/v1', kind: 'Deployment' };

/** What people do with kubectl every day. */
export function describeKubectl(server: () => ContractServer): void {
  describe('kubectl', () => {
    const { run, output, words, write } = kubectlFixture(server);
    const yaml = (object: object): string => stringify(object);
    const settings = async (data: Record<string, string> = { colour: 'blue' }): Promise<string> => {
      const namespace = await server().namespace();
      await server().client.create(kinds.configMaps, configMap(namespace, 'settings', data));
      return namespace;
    };

    it('version tells the version of the server', async () => {
      expect(await output(['version'])).toMatch(/Server Version: v1\.36\./);
    });

    it('api-resources lists kinds with short names, scope and verbs', async () => {
      const lines = (await output(['api-resources', '-o', 'wide'])).split('\n');
      expect(lines.find((line) => line.startsWith('deployments'))).toMatch(/deploy\s+apps\/v1\s+true\s+Deployment\s+create,delete/);
      expect(lines.find((line) => line.startsWith('nodes'))).toMatch(/no\s+v1\s+false\s+Node/);
    });

    it('get prints a table', async () => {
      const namespace = await settings();
      const [head, row] = (await output(['-n', namespace, 'get', 'configmap', 'settings'])).split('\n');
      expect(words(head)).toEqual(['NAME', 'DATA', 'AGE']);
      expect(words(row).slice(0, 2)).toEqual(['settings', '1']);
    });

    it('get prints pods with their state, and more of them with -o wide', async () => {
      const namespace = await podNamespace(server());
      await server().client.create(kinds.pods, pod(namespace, 'web'));
      const [head, row] = (await output(['-n', namespace, 'get', 'pods'])).split('\n');
      expect(words(head)).toEqual(['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE']);
      expect(words(row).slice(0, 4)).toEqual(['web', '0/1', 'Pending', '0']);
      const [wide] = (await output(['-n', namespace, 'get', 'pods', '-o', 'wide'])).split('\n');
      expect(words(wide).slice(5)).toEqual(['IP', 'NODE', 'NOMINATED NODE', 'READINESS GATES']);
    });

    it('get knows short names and several kinds at once', async () => {
      const namespace = await settings();
      const listed = await output(['-n', namespace, 'get', 'cm,sa', '-o', 'name']);
      expect(listed).toContain('configmap/settings');
      await vi.waitFor(
        async () => expect(await output(['-n', namespace, 'get', 'sa', '-o', 'name'])).toContain('serviceaccount/default'),
        patience,
      );
    });

    it('get -A shows all namespaces', async () => {
      const namespace = await settings();
      expect(await output(['get', 'cm', '-A'])).toMatch(new RegExp(`^${namespace}\\s+settings\\s`, 'm'));
    });

    it('get -o json and -o yaml print the object', async () => {
      const namespace = await settings();
      const printed = JSON.parse(await output(['-n', namespace, 'get', 'cm', 'settings', '-o', 'json'])) as unknown;
      expect(printed).toMatchObject({ ...configMaps, metadata: { name: 'settings', namespace }, data: { colour: 'blue' } });
      expect(await output(['-n', namespace, 'get', 'cm', 'settings', '-o', 'yaml'])).toContain('colour: blue');
    });

    it('get -o jsonpath and --sort-by work on lists', async () => {
      const namespace = await settings();
      await server().client.create(kinds.configMaps, configMap(namespace, 'another'));
      const selector = '{.items[?(@.metadata.name!="kube-root-ca.crt")].metadata.name}';
      expect(await output(['-n', namespace, 'get', 'cm', '-o', `jsonpath=${selector}`])).toBe('another settings');
    });

    it('get -l selects by labels', async () => {
      const namespace = await settings();
      await output(['-n', namespace, 'label', 'cm', 'settings', 'tier=front']);
      expect(await output(['-n', namespace, 'get', 'cm', '-l', 'tier=front', '-o', 'name'])).toBe('configmap/settings\n');
      expect(await output(['-n', namespace, 'get', 'cm', '-l', 'tier=back', '-o', 'name'])).toBe('');
    });

    it('get of nothing says so and fails', async () => {
      const { stderr, exitCode } = await run(['-n', await server().namespace(), 'get', 'cm', 'nothing']);
      expect([exitCode, stderr]).toEqual([1, 'Error from server (NotFound): configmaps "nothing" not found\n']);
    });

    it('get -w shows changes as they happen', async () => {
      const namespace = await settings();
      const watching = run(['-n', namespace, 'get', 'cm', 'settings', '-w', '--output-watch-events', '--request-timeout=5s']);
      let ended = false;
      const shown = watching.then((result) => {
        ended = true;
        return result.stdout;
      });
      // Not by another kubectl, which may take longer to start than this one watches.
      const change = async (seen: number) =>
        await server().client.patch(
          kinds.configMaps,
          { namespace, name: 'settings' },
          { kind: 'merge', body: { metadata: { annotations: { seen: String(seen) } } } },
        );
      let changes = 0;
      await vi.waitUntil(
        async () => {
          changes += 1;
          await change(changes);
          return ended;
        },
        { timeout: 50_000, interval: 200 },
      );
      expect(await shown).toMatch(/^ADDED\s+settings[\s\S]*^MODIFIED\s+settings/m);
    });

    it('create -f makes an object, and refuses to make it again', async () => {
      const namespace = await server().namespace();
      const object = yaml({ ...configMaps, ...configMap(namespace, 'made', { a: '1' }) });
      expect(await output(['create', '-f', '-'], object)).toBe('configmap/made created\n');
      expect((await run(['create', '-f', '-'], object)).stderr).toContain('(AlreadyExists)');
    });

    it('create namespace, configmap and token work without a file', async () => {
      const name = uniqueName('kubectl');
      expect(await output(['create', 'namespace', name])).toBe(`namespace/${name} created\n`);
      expect(await output(['-n', name, 'create', 'configmap', 'made', '--from-literal=a=1'])).toBe('configmap/made created\n');
      expect((await server().client.get(kinds.configMaps, { namespace: name, name: 'made' })).data).toEqual({ a: '1' });
      await vi.waitFor(() => server().client.get(kinds.serviceAccounts, { namespace: name, name: 'default' }), patience);
      expect((await output(['-n', name, 'create', 'token', 'default'])).trim().split('.')).toHaveLength(3);
    });

    it('apply creates, changes and leaves alone', async () => {
      const namespace = await server().namespace();
      const object = (image: string) => {
        const made = deployment(namespace, 'web', 0);
        return yaml({
          ...deployments,
          ...made,
          spec: { ...made.spec, template: { ...made.spec?.template, spec: { containers: [{ name: 'main', image }] } } },
        });
      };
      expect(await output(['apply', '-f', '-'], object('registry.example/one'))).toBe('deployment.apps/web created\n');
      expect(await output(['apply', '-f', '-'], object('registry.example/two'))).toBe('deployment.apps/web configured\n');
      expect(await output(['apply', '-f', '-'], object('registry.example/two'))).toBe('deployment.apps/web unchanged\n');
      const stored = await server().client.get(kinds.deployments, { namespace, name: 'web' });
      expect(stored.spec?.template.spec?.containers[0]?.image).toBe('registry.example/two');
    });

    it('apply removes what is no longer in the file', async () => {
      const namespace = await server().namespace();
      const object = (data: Record<string, string>) => yaml({ ...configMaps, ...configMap(namespace, 'settings', data) });
      await output(['apply', '-f', '-'], object({ a: '1', b: '2' }));
      await output(['apply', '-f', '-'], object({ a: '1' }));
      expect((await server().client.get(kinds.configMaps, { namespace, name: 'settings' })).data).toEqual({ a: '1' });
    });

    it('apply names an unknown field', async () => {
      const namespace = await server().namespace();
      const { exitCode, stderr } = await run(['apply', '-f', '-'], yaml({ ...configMaps, ...configMap(namespace, 'settings'), dataa: {} }));
      expect(exitCode).toBe(1);
      expect(stderr).toContain('unknown field "dataa"');
    });

    it('apply --server-side applies, and conflicts with another manager', async () => {
      const namespace = await server().namespace();
      const object = (colour: string) => yaml({ ...configMaps, ...configMap(namespace, 'settings', { colour }) });
      expect(await output(['apply', '--server-side', '-f', '-'], object('blue'))).toBe('configmap/settings serverside-applied\n');
      const other = ['apply', '--server-side', '--field-manager=other', '-f', '-'];
      expect((await run(other, object('red'))).stderr).toContain('conflict with "kubectl": .data.colour');
      expect(await output([...other, '--force-conflicts'], object('red'))).toBe('configmap/settings serverside-applied\n');
    });

    it('diff shows what apply would change', async () => {
      const namespace = await settings();
      const { stdout, exitCode } = await run(
        ['diff', '-f', '-'],
        yaml({ ...configMaps, ...configMap(namespace, 'settings', { colour: 'red' }) }),
      );
      expect(exitCode).toBe(1);
      expect(stdout).toMatch(/^\+\s+colour: red$/m);
    });

    it('edit changes what the editor changed', async () => {
      const namespace = await settings();
      vi.stubEnv('KUBE_EDITOR', 'sed -i s/blue/green/');
      const edited = await output(['-n', namespace, 'edit', 'cm', 'settings']).finally(() => vi.unstubAllEnvs());
      expect(edited).toBe('configmap/settings edited\n');
      expect((await server().client.get(kinds.configMaps, { namespace, name: 'settings' })).data).toEqual({ colour: 'green' });
    });

    it('patch, label and annotate change an object', async () => {
      const namespace = await settings();
      await output(['-n', namespace, 'patch', 'cm', 'settings', '-p', '{"data":{"colour":"red"}}']);
      await output(['-n', namespace, 'label', 'cm', 'settings', 'tier=front']);
      await output(['-n', namespace, 'annotate', 'cm', 'settings', 'note=seen']);
      const { metadata, data } = await server().client.get(kinds.configMaps, { namespace, name: 'settings' });
      expect([data, metadata?.labels, metadata?.annotations]).toEqual([{ colour: 'red' }, { tier: 'front' }, { note: 'seen' }]);
    });

    it('replace needs the object to be there', async () => {
      const namespace = await settings();
      const object = (name: string) => yaml({ ...configMaps, ...configMap(namespace, name, { colour: 'red' }) });
      expect(await output(['replace', '-f', '-'], object('settings'))).toBe('configmap/settings replaced\n');
      expect((await run(['replace', '-f', '-'], object('nothing'))).stderr).toContain('(NotFound)');
    });

    it('scale changes the replicas of a deployment', async () => {
      const namespace = await server().namespace();
      await server().client.create(kinds.deployments, deployment(namespace, 'web', 0));
      expect(await output(['-n', namespace, 'scale', 'deployment/web', '--replicas=3'])).toBe('deployment.apps/web scaled\n');
      expect((await server().client.get(kinds.deployments, { namespace, name: 'web' })).spec?.replicas).toBe(3);
    });

    it('rollout status waits for the controller, and restart starts a new one', async () => {
      const namespace = await server().namespace();
      await server().client.create(kinds.deployments, deployment(namespace, 'web', 0));
      expect(await output(['-n', namespace, 'rollout', 'status', 'deployment/web', '--timeout=30s'])).toContain('successfully rolled out');
      expect(await output(['-n', namespace, 'rollout', 'restart', 'deployment/web'])).toBe('deployment.apps/web restarted\n');
    });

    it('describe shows an object with its events', async () => {
      const namespace = await podNamespace(server());
      const web = await server().client.create(kinds.pods, pod(namespace, 'web', { app: 'web' }));
      await server().client.create(kinds.events, {
        metadata: { namespace, name: 'web.1' },
        eventTime: new Date().toISOString().replace('Z', '000Z'),
        type: 'Normal',
        reason: 'Noticed',
        action: 'Look',
        note: 'somebody looked',
        reportingController: 'example.com/suite',
        reportingInstance: 'suite-0',
        regarding: { apiVersion: 'v1', kind: 'Pod', namespace, name: 'web', uid: web.metadata?.uid ?? '' },
      });
      const described = await output(['-n', namespace, 'describe', 'pod', 'web']);
      expect(described).toMatch(/^Labels:\s+app=web$/m);
      expect(described).toMatch(/Normal\s+Noticed\s+.*somebody looked/);
    });

    it('wait ends when the condition is met, and fails when it is not', async () => {
      const namespace = await settings();
      const wait = (value: string, timeout: string) => [
        '-n',
        namespace,
        'wait',
        'cm/settings',
        `--for=jsonpath={.data.colour}=${value}`,
        `--timeout=${timeout}`,
      ];
      expect(await output(wait('blue', '10s'))).toContain('condition met');
      expect((await run(wait('red', '1s'))).stderr).toContain('timed out');
    });

    it('delete removes an object and waits until it is gone', async () => {
      const namespace = await settings();
      expect(await output(['-n', namespace, 'delete', 'cm', 'settings'])).toContain('configmap "settings" deleted');
      expect(await server().client.find(kinds.configMaps, { namespace, name: 'settings' })).toBeUndefined();
    });

    it('delete removes a namespace with what is in it', async () => {
      const namespace = await settings();
      expect(await output(['delete', 'namespace', namespace])).toContain(`namespace "${namespace}" deleted`);
      expect(await server().client.find(kinds.namespaces, { name: namespace })).toBeUndefined();
    });

    it('explain names the fields of a kind', async () => {
      expect(await output(['explain', 'deployment.spec'])).toMatch(/replicas\s+<integer>/);
    });

    it('gets custom resources by their short name, with the columns of their definition', async () => {
      const definition = widgetDefinition(uniqueGroup());
      const [version] = definition.spec?.versions ?? [];
      const plural = uniqueName('widgets').replaceAll('-', '');
      const names = { kind: plural.replace('w', 'W'), plural, singular: plural, shortNames: [`${plural}x`] };
      const group = definition.spec?.group ?? '';
      const columns = [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }];
      const file = await write(
        'definition.yaml',
        yaml({
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: `${plural}.${group}` },
          spec: { ...definition.spec, names, versions: [{ ...version, additionalPrinterColumns: columns }] },
        }),
      );
      await output(['apply', '-f', file]);
      await output(['wait', '--for=condition=Established', `crd/${plural}.${group}`, '--timeout=30s']);
      const namespace = await server().namespace();
      const widget = yaml({ apiVersion: `${group}/v1`, kind: names.kind, metadata: { namespace, name: 'one' }, spec: { size: 3 } });
      await vi.waitFor(() => output(['apply', '-f', '-'], widget), patience);
      const [head, row] = (await output(['-n', namespace, 'get', `${plural}x`])).split('\n');
      expect([words(head), words(row)]).toEqual([
        ['NAME', 'SIZE'],
        ['one', '3'],
      ]);
    });
  });
}
