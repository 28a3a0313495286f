import type { SDLInput } from '@akashnetwork/chain-sdk';
import { imageRule, namePatterns } from '@quartermaster/api/lease-manifest';
import { decimalDigits, formatDecimal, parseDecimal } from '@quartermaster/kernel';
import { checkBounds } from './bound-rules.ts';
import { computeRules } from './compute-rules.ts';
import { type FaultList, pointer, quoted } from './fault-list.ts';

type Service = SDLInput['services'][string];
type Expose = NonNullable<Service['expose']>[number];
type Placement = SDLInput['profiles']['placement'][string];

/** As the network has it; group specs are refused with others. */
const attributeKey = /^[a-zA-Z][\w/.-]{1,126}[\w*]?$/;
export const maxPrice = 10_000_000n;
/** Names of pods, and of what belongs to them, are made of it. */
const serviceName = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const otherName = /^[a-zA-Z0-9](?:[-_.a-zA-Z0-9]{0,61}[a-zA-Z0-9])?$/;
const environmentName = /^[-._a-zA-Z][-._a-zA-Z0-9]*(?:=|$)/;
const hostname = /^(?=.{1,255}$)[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)*$/;

/** Rules that the library leaves to chains and providers, for an SDL whose schema is right: whoever ordered would hear of them too late. */
export function checkRules(sdl: SDLInput, faults: FaultList): void {
  const { services, profiles, deployment } = sdl;
  checkNames(sdl, faults);
  for (const [name, service] of Object.entries(services)) checkService(sdl, name, service, faults);
  checkHostnames(services, faults);
  for (const [name, { resources }] of Object.entries(profiles.compute)) {
    computeRules(resources, ['profiles', 'compute', name, 'resources'], faults);
  }
  for (const [name, placement] of Object.entries(profiles.placement)) {
    checkPlacement(name, placement, faults);
    checkBounds(name, sdl, faults);
  }
  for (const [name, placements] of Object.entries(deployment)) {
    if (services[name] === undefined) {
      faults.add(
        pointer('deployment', name),
        'UnknownService',
        `the service ${quoted(name)} is not declared: declare it under services, or remove it here`,
      );
    } else if (Object.keys(placements).length === 0) {
      faults.add(
        pointer('deployment', name),
        'Missing',
        `the service ${quoted(name)} is deployed nowhere: name a placement with profile and count`,
      );
    }
  }
}

function checkNames({ services, profiles: { compute, placement } }: SDLInput, faults: FaultList): void {
  if (Object.keys(services).length === 0) faults.add('/services', 'Missing', 'services is empty: declare at least one');
  for (const name of Object.keys(services)) {
    if (serviceName.test(name)) continue;
    const rule = 'must have 1 to 63 of a-z, 0-9 and -, begin with a letter and not end with -';
    faults.add(pointer('services', name), 'BadName', `the name of a service ${rule}`);
  }
  for (const [section, named] of Object.entries({ compute, placement })) {
    for (const name of Object.keys(named)) {
      if (otherName.test(name)) continue;
      const rule = 'must have 1 to 63 letters, digits, -, _ and ., and begin and end with a letter or digit';
      faults.add(pointer('profiles', section, name), 'BadName', `the name ${rule}`);
    }
  }
}

function checkService({ services }: SDLInput, name: string, { image, env, expose }: Service, faults: FaultList): void {
  if (!namePatterns.image.test(image)) faults.add(pointer('services', name, 'image'), 'BadFormat', `the name of an image ${imageRule}`);
  for (const [at, variable] of (env ?? []).entries()) {
    if (environmentName.test(variable)) continue;
    const message = 'a variable is written NAME=value, its name with letters, digits, _, - and ., and no digit first';
    faults.add(pointer('services', name, 'env', at), 'BadFormat', message);
  }
  for (const [at, { to }] of (expose ?? []).entries()) {
    for (const [toAt, { service, global: isGlobal }] of (to ?? []).entries()) {
      const path = pointer('services', name, 'expose', at, 'to', toAt);
      if (service !== undefined && services[service] === undefined) {
        faults.add(`${path}/service`, 'UnknownService', `the service ${quoted(service)} is not declared: name one of services`);
      } else if (service === undefined && isGlobal !== true) {
        faults.add(path, 'Missing', 'this exposes the port to nobody: give "global: true" or a service');
      }
    }
  }
}

function checkHostnames(services: SDLInput['services'], faults: FaultList): void {
  const exposes = Object.entries(services).flatMap(([name, { expose }]) =>
    (expose ?? []).map((each, at): [string, Expose] => [pointer('services', name, 'expose', at), each]),
  );
  const taken = new Set<string>();
  for (const [path, { accept }] of exposes) {
    for (const [at, host] of (accept ?? []).entries()) {
      if (!hostname.test(host))
        faults.add(`${path}/accept/${at}`, 'BadFormat', 'a hostname must be a DNS name of lower-case letters, digits, - and .');
      else if (taken.has(host)) faults.add(`${path}/accept/${at}`, 'Duplicate', `the hostname ${quoted(host)} is accepted twice: keep one`);
      taken.add(host);
    }
  }
  if (!exposes.some(([, { to }]) => to?.some((each) => each.global === true))) {
    faults.add(
      '/services',
      'NothingExposed',
      'no service is exposed to the world, and providers refuse that: give one an expose with "to: [{ global: true }]"',
    );
  }
}

function checkPlacement(name: string, { attributes = {}, pricing }: Placement, faults: FaultList): void {
  const path = pointer('profiles', 'placement', name);
  for (const [key, value] of Object.entries(attributes)) {
    const at = `${path}/attributes${pointer(key)}`;
    if (!attributeKey.test(key)) {
      faults.add(
        at,
        'BadName',
        'the key of an attribute must have 2 to 128 letters, digits, _, /, . and -, begin with a letter, and end with a letter, digit, _ or *',
      );
    }
    if (value === null || typeof value === 'object') faults.add(at, 'WrongType', 'an attribute must be text, a number, true or false');
  }
  for (const [profile, { amount }] of Object.entries(pricing)) {
    const price = parseDecimal(String(amount));
    const at = `${path}/pricing${pointer(profile)}/amount`;
    if (price === undefined)
      faults.add(at, 'BadFormat', `amount must have at most ${decimalDigits} digits after the point and 40 before it`);
    else if (price > maxPrice * 10n ** BigInt(decimalDigits)) {
      faults.add(at, 'OutOfRange', `amount is ${formatDecimal(price)} for each block; it must be at most ${maxPrice}`);
    }
  }
}
