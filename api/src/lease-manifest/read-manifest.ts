import { Faults, notJson } from './faults.ts';
import { beyondBounds } from './group-bounds.ts';
import { isIngress, type ManifestGroup, type ManifestService, type RegistryCredentials } from './manifest-group.ts';
import { claimNames } from './manifest-names.ts';
import { readService } from './read-service.ts';
import { checkFields, type Entry, isFields, listOf, member, textOf } from './untrusted.ts';

/** It is kept in one object of the cluster. */
const maxBytes = 1_048_576;
/** The path of what is wrong with all of it. */
const whole = '/';

/**
 * Reads the JSON of a manifest, the form that its hash is made of: a list of groups; a group by itself will do. Throws `invalid_argument` with the path of every fault
 * (`/0/services/1/image`). Says nothing of values: they may be secrets.
 */
export function readManifest(json: string): readonly ManifestGroup[] {
  const faults = new Faults();
  const root: Entry = { value: parsed(json, faults), path: '', faults };
  faults.throwIfAny();
  const entries = isFields(root.value) ? [root] : Array.isArray(root.value) ? listOf(root) : [];
  if (entries.length === 0) faults.add(whole, 'must be a list of at least one group');
  const groups = entries.flatMap(readGroup);
  faults.throwIfAny();
  checkNames(groups, entries);
  // A group by itself may be one of several, of which another is exposed.
  const isExposed = groups.some(({ services }) => services.some(({ exposes }) => exposes.some((expose) => expose.global)));
  if (!isExposed && entries[0] !== root) faults.add(whole, 'exposes nothing to the world: make one expose of a service global');
  faults.throwIfAny();
  return groups.map(({ name, services }) => ({ name, services: services.toSorted((a, b) => (a.name < b.name ? -1 : 1)) }));
}

function parsed(json: string, faults: Faults): unknown {
  if (json.length > maxBytes || new TextEncoder().encode(json).length > maxBytes) {
    faults.add(whole, `has more than ${maxBytes} bytes: make it smaller; large files belong into images or volumes`);
    return undefined;
  }
  try {
    return JSON.parse(json);
  } catch {
    faults.add(notJson.field, notJson.description);
    return undefined;
  }
}

function readGroup(entry: Entry): readonly ManifestGroup[] {
  if (!checkFields(entry, 'give name and services')) return [];
  const name = textOf(member(entry, 'name'));
  if (name === '' || name.length > 253 || /\p{Cc}/u.test(name))
    entry.faults.add(`${entry.path}/name`, 'must have 1 to 253 characters, none of which is a control character');
  const list = member(entry, 'services');
  const entries = listOf(list);
  if (entries.length === 0) entry.faults.add(list.path, 'is empty: a group needs at least one service');
  const services = entries.flatMap((each) => (checkFields(each, 'describe a service') ? [readService(each)] : []));
  checkBounds(services, list);
  return [{ name, services }];
}

function checkBounds(services: readonly ManifestService[], { path, faults }: Entry): void {
  const bounded = services.map(({ image, exposes, env, command, args, credentials }) => ({
    exposes: exposes.length,
    // A list of hosts is repeated for everybody to whom a port is exposed.
    hostnames: exposes.flatMap(({ hosts }) => hosts),
    variables: env.map(({ name, value }) => `${name}=${value}`),
    texts: [image, ...command, ...args, ...(credentials === undefined ? [] : credentialTexts(credentials))],
  }));
  for (const beyond of beyondBounds(bounded)) faults.add(path, beyond);
}

const credentialTexts = ({ host, email, username, password }: RegistryCredentials): readonly string[] => [host, email, username, password];

/** What must be unique, in groups without faults. */
function checkNames(groups: readonly ManifestGroup[], entries: readonly Entry[]): void {
  const taken = new Set<string>();
  const hosts = new Map<string, string>(); // hostname -> what has it
  for (const [at, { name, services }] of groups.entries()) {
    const { path, faults } = entries[at] as Entry;
    if (taken.has(name)) faults.add(`${path}/name`, 'is the name of another group: give another name');
    taken.add(name);
    const names = new Set<string>();
    const claims = new Set<string>();
    for (const [serviceAt, service] of services.entries()) {
      const servicePath = `${path}/services/${serviceAt}`;
      const isClaimed = claimNames(service).some((claim) => claims.has(claim));
      if (names.has(service.name)) faults.add(`${servicePath}/name`, 'is the name of another service of the group: give another name');
      else if (isClaimed)
        faults.add(`${servicePath}/name`, 'would give it the volumes of another service: give it, or its volumes, another name');
      names.add(service.name);
      for (const claim of claimNames(service)) claims.add(claim);
      checkHosts(service, servicePath, `${at}/${service.name}`, hosts, faults);
    }
  }
}

/** Those without a route are without effect: a list of hosts is repeated for everybody to whom a port is exposed. */
function checkHosts(service: ManifestService, path: string, user: string, hosts: Map<string, string>, faults: Faults): void {
  for (const [at, expose] of service.exposes.entries()) {
    if (!isIngress(expose)) continue;
    const target = `${user}:${expose.port}`;
    const own = new Set<string>();
    for (const [hostAt, text] of expose.hosts.entries()) {
      const host = text.toLowerCase();
      if (own.has(host) || (hosts.get(host) ?? target) !== target)
        faults.add(`${path}/expose/${at}/hosts/${hostAt}`, 'is a hostname that the manifest has twice: keep one');
      own.add(host);
      hosts.set(host, target);
    }
  }
}
