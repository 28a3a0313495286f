import type { SDLInput } from '@akashnetwork/chain-sdk';
import { beyondBounds } from '@quartermaster/api/lease-manifest';
import { type FaultList, pointer } from './fault-list.ts';

/** What all services of a placement may have together, as providers read its manifest. */
export function checkBounds(placement: string, { services, deployment }: SDLInput, faults: FaultList): void {
  const deployed = Object.entries(services).flatMap(([name, service]) => (deployment[name]?.[placement] === undefined ? [] : [service]));
  const bounded = deployed.map(({ image, expose, env, command, args, credentials }) => ({
    exposes: (expose ?? []).flatMap(({ to }) => to ?? []).length,
    hostnames: (expose ?? []).flatMap(({ accept }) => accept ?? []),
    variables: env ?? [],
    texts: [image, ...(command ?? []), ...(args ?? []), ...Object.values(credentials ?? {})],
  }));
  for (const beyond of beyondBounds(bounded)) faults.add(pointer('profiles', 'placement', placement), 'OutOfRange', `services ${beyond}`);
}
