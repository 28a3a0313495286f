import type { EnvVariable, ManifestService, ManifestVolume, Permission, RegistryCredentials, VolumeMount } from './manifest-group.ts';
import { imageRule, namePatterns, serviceNameRule } from './manifest-names.ts';
import { readExposes } from './read-expose.ts';
import { maxVolumes, readResources } from './read-resources.ts';
import { checkFields, type Entry, flagOf, isMissing, listOf, member, textOf, textsOf, wholeOf } from './untrusted.ts';

const replicas = { min: 1, max: 2 ** 32 - 1 };
const permissions: readonly string[] = ['logs', 'events', 'deployment'] satisfies readonly Permission[];

/** Of an object. */
export function readService(entry: Entry): ManifestService {
  const params = member(entry, 'params');
  const resources = readResources(member(entry, 'resources'));
  const credentials = readCredentials(member(entry, 'credentials'));
  if (!isMissing(member(params, 'tee')) && textOf(member(params, 'tee')) !== '')
    entry.faults.add(`${params.path}/tee`, 'is refused: nobody here attests to a trusted execution environment; remove it');
  return {
    name: readName(member(entry, 'name')),
    image: readImage(member(entry, 'image')),
    command: textsOf(member(entry, 'command')),
    args: textsOf(member(entry, 'args')),
    env: listOf(member(entry, 'env')).map(readVariable),
    resources,
    count: wholeOf(member(entry, 'count'), replicas, 0),
    exposes: readExposes(member(entry, 'expose')),
    mounts: readMounts(member(params, 'storage'), resources.volumes),
    permissions: readPermissions(member(member(params, 'permissions'), 'read')),
    ...(credentials === undefined ? {} : { credentials }),
  };
}

function readName(entry: Entry): string {
  const name = textOf(entry);
  if (!namePatterns.service.test(name)) entry.faults.add(entry.path, serviceNameRule);
  return name;
}

function readImage(entry: Entry): string {
  const image = textOf(entry);
  if (image === '') entry.faults.add(entry.path, 'is empty: name an image');
  else if (!namePatterns.image.test(image)) entry.faults.add(entry.path, imageRule);
  return image;
}

/** One without a value is empty, as the ecosystem has it. */
function readVariable(entry: Entry): EnvVariable {
  const text = textOf(entry);
  const end = text.indexOf('=');
  const name = end === -1 ? text : text.slice(0, end);
  if (!namePatterns.variable.test(name))
    entry.faults.add(entry.path, 'must be NAME=value, its name with letters, digits, _, - and ., and no digit first');
  return { name, value: end === -1 ? '' : text.slice(end + 1) };
}

function readMounts(list: Entry, volumes: readonly ManifestVolume[]): readonly VolumeMount[] {
  const names = new Set(volumes.map(({ name }) => name));
  const taken = new Set<string>();
  const entries = listOf(list);
  if (entries.length > maxVolumes)
    list.faults.add(
      list.path,
      `are ${entries.length}; one service may have at most ${maxVolumes} mounts: drop some, or put more into one volume`,
    );
  return entries.map((entry) => {
    const { path: at, faults } = entry;
    const volume = textOf(member(entry, 'name'));
    const path = textOf(member(entry, 'mount'));
    const place = path.replaceAll(/\/+/g, '/').replace(/\/$/, '');
    if (!names.has(volume)) faults.add(`${at}/name`, 'must be the name of a volume of the service');
    if (path !== '' && (!path.startsWith('/') || /[:\p{Cc}]/u.test(path) || place === ''))
      faults.add(`${at}/mount`, 'must be empty or an absolute path other than /, without colons and control characters');
    else if (path !== '' && taken.has(place)) faults.add(`${at}/mount`, 'is where another volume is mounted: choose another path');
    taken.add(place);
    return { volume, path, readOnly: flagOf(member(entry, 'readOnly')) };
  });
}

function readPermissions(list: Entry): readonly Permission[] {
  const known = listOf(list).flatMap((entry) => {
    const text = textOf(entry);
    if (isPermission(text)) return [text];
    entry.faults.add(entry.path, `must be one of ${permissions.join(', ')}`);
    return [];
  });
  return [...new Set(known)];
}

const isPermission = (text: string): text is Permission => permissions.includes(text);

function readCredentials(entry: Entry): RegistryCredentials | undefined {
  if (isMissing(entry) || !checkFields(entry, 'give host, username and password')) return undefined;
  const needed = (key: string): string => {
    const text = textOf(member(entry, key));
    if (text.trim() === '') entry.faults.add(`${entry.path}/${key}`, 'is empty: give host, username and password, or no credentials');
    return text;
  };
  return { host: needed('host'), email: textOf(member(entry, 'email')), username: needed('username'), password: needed('password') };
}
