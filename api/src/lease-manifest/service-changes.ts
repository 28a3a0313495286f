import {
  type Expose,
  externalPortOf,
  isIngress,
  type ManifestResources,
  type ManifestService,
  type ManifestVolume,
} from './manifest-group.ts';

/** One thing that is different. */
export interface ServiceChange {
  readonly code: string;
  readonly message: string;
  /** Whether the pods are replaced for it. */
  readonly restarts: boolean;
  /** Names of volumes that go with their data. */
  readonly lost?: readonly string[];
}

/** How a service differs from what it was. Values of the environment, and credentials, are not told. */
export function serviceChanges(before: ManifestService, after: ManifestService): readonly ServiceChange[] {
  const found: ServiceChange[] = [];
  const change = (code: string, isSame: boolean, message: string, restarts = true): void => {
    if (!isSame) found.push({ code, message, restarts });
  };
  change('Image', before.image === after.image, `the image becomes ${after.image}, from ${before.image}`);
  change('Command', isEqual(before.command, after.command), 'the command changes');
  change('Args', isEqual(before.args, after.args), 'the arguments change');
  const variables = differenceOf(environmentOf(before), environmentOf(after)) || orderChange(before, after);
  change('Environment', variables === '', `environment: ${variables}`);
  const credentials = [before, after].map(({ credentials: given }) => given && [given.host, given.email, given.username, given.password]);
  // Pods refer to the credentials, and only the next pull reads them.
  const refer = credentials.filter((given) => given !== undefined).length === 1;
  change('Credentials', isEqual(credentials[0], credentials[1]), `the registry credentials ${verb(credentials[0], credentials[1])}`, refer);
  const resources = differenceOf(resourcesOf(before.resources), resourcesOf(after.resources));
  change('Resources', resources === '', `resources of each replica: ${resources}`);
  change('Replicas', before.count === after.count, `it has ${after.count} replicas, after ${before.count}`, false);
  const mounts = differenceOf(mountsOf(before), mountsOf(after));
  change('Mounts', mounts === '', `mounts: ${mounts}`);
  const permissions = differenceOf(setOf(before.permissions), setOf(after.permissions));
  // Pods of a service without any get no token.
  const getToken = [before, after].filter((service) => service.permissions.length > 0).length === 1;
  change('Permissions', permissions === '', `permissions to read: ${permissions}`, getToken);
  found.push(...exposeChanges(before, after), ...volumeChanges(before, after));
  return found;
}

export const persistentVolumes = ({ resources }: ManifestService): readonly ManifestVolume[] =>
  resources.volumes.filter(({ kind }) => kind === 'persistent');

function exposeChanges(before: ManifestService, after: ManifestService): readonly ServiceChange[] {
  const found: ServiceChange[] = [];
  const compare = (code: string, what: string, of: (service: ManifestService) => Named, restarts = false): void => {
    const difference = differenceOf(of(before), of(after));
    if (difference !== '') found.push({ code, message: `${what}: ${difference}`, restarts });
  };
  const ports = ({ exposes }: ManifestService): Named => setOf(exposes.map(({ port, protocol }) => `${port}/${protocol}`));
  compare('Exposes', 'exposes', ({ exposes }) => setOf(exposes.map(exposeText)), differenceOf(ports(before), ports(after)) !== '');
  compare('Hostnames', 'hostnames', hostnamesOf);
  // Of an expose that comes or goes nothing else is told.
  const [old, next] = [httpOptionsOf(before), httpOptionsOf(after)];
  const changed = [...next].flatMap(([expose, options]) => (old.has(expose) && old.get(expose) !== options ? [expose] : []));
  if (changed.length > 0) found.push({ code: 'HttpOptions', message: `HTTP options of ${changed.join(', ')} change`, restarts: false });
  return found;
}

/** A volume of another class or size is another one: the old one is gone. */
function volumeChanges(before: ManifestService, after: ManifestService): readonly ServiceChange[] {
  const kept = new Map(persistentVolumes(after).map((volume) => [volume.name, volume]));
  const fewer = before.count - after.count;
  return persistentVolumes(before).flatMap(({ name, bytes, class: named }): readonly ServiceChange[] => {
    const now = kept.get(name);
    const removed = (message: string, restarts: boolean): readonly ServiceChange[] => [
      { code: 'VolumeRemoved', message, restarts, lost: [name] },
    ];
    if (now === undefined) return removed(`the volume ${name} is removed with its data`, true);
    if (now.class !== named || now.bytes !== bytes)
      return removed(`the volume ${name} is made anew, of another class or size, without its data`, true);
    return fewer > 0 ? removed(`the volume ${name} of ${fewer} replicas is removed with its data`, false) : [];
  });
}

/** What a thing is called for people -> what it is, to compare. */
type Named = ReadonlyMap<string, string>;

const setOf = (names: readonly string[]): Named => new Map(names.map((name) => [name, '']));

/** The last of one name counts. */
const environmentOf = ({ env }: ManifestService): Named => new Map(env.map(({ name, value }) => [name, value]));

/** Pods have them in this order, since one may refer to those before it. */
const variableNames = ({ env }: ManifestService): readonly string[] => [...new Set(env.map(({ name }) => name).toReversed())];

const orderChange = (before: ManifestService, after: ManifestService): string =>
  isEqual(variableNames(before), variableNames(after)) ? '' : 'changes the order';

const mountsOf = ({ mounts }: ManifestService): Named =>
  new Map(mounts.filter(({ path }) => path !== '').map(({ volume, path, readOnly }) => [path, JSON.stringify([volume, readOnly])]));

function resourcesOf({ cpuMillis, memoryBytes, gpus, gpuAttributes, volumes }: ManifestResources): Named {
  return new Map([
    ['CPU', `${cpuMillis}`],
    ['memory', `${memoryBytes}`],
    ['GPUs', JSON.stringify(gpus === 0 ? [] : [gpus, gpuAttributes.toSorted()])],
    ...volumes.map((volume): [string, string] => [`volume ${volume.name}`, JSON.stringify([volume.kind, volume.bytes, volume.class])]),
  ]);
}

/** Only those that have a route are of effect. */
const hostnamesOf = ({ exposes }: ManifestService): Named =>
  new Map(exposes.filter(isIngress).flatMap(({ hosts, port }) => hosts.map((host): [string, string] => [host.toLowerCase(), `${port}`])));

const httpOptionsOf = ({ exposes }: ManifestService): Named =>
  new Map(
    exposes.filter(isIngress).map((expose) => {
      const { maxBodySize, readTimeout, sendTimeout, nextTries, nextTimeout, nextCases, proxyBufferSize = 0 } = expose.http;
      const options = [maxBodySize, readTimeout, sendTimeout, nextTries, nextTimeout, nextCases, proxyBufferSize];
      return [exposeText(expose), JSON.stringify(options)];
    }),
  );

/** `port 8080 as 80/TCP to the world`: different for different exposes. */
function exposeText(expose: Expose): string {
  const { port, protocol, service, global: isGlobal, ip } = expose;
  const external = externalPortOf(expose);
  const reached = ip !== '' ? `at the address ${ip}` : isGlobal ? 'to the world' : 'inside';
  return `port ${port}${external === port ? '' : ` as ${external}`}/${protocol} ${reached}${service === '' ? '' : ` for ${service}`}`;
}

/** `adds a, b; removes c; changes d`; empty where there is no difference. */
function differenceOf(before: Named, after: Named): string {
  const parts = {
    adds: [...after.keys()].filter((name) => !before.has(name)),
    removes: [...before.keys()].filter((name) => !after.has(name)),
    changes: [...after].flatMap(([name, value]) => (before.has(name) && before.get(name) !== value ? [name] : [])),
  };
  return Object.entries(parts)
    .flatMap(([what, names]) => (names.length === 0 ? [] : [`${what} ${names.sort().join(', ')}`]))
    .join('; ');
}

const isEqual = (a: readonly string[] | undefined, b: readonly string[] | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

const verb = (before: unknown, after: unknown): string =>
  before === undefined ? 'are added' : after === undefined ? 'are removed' : 'change';
