import { StatusError } from '@quartermaster/kernel';
import { type Deployment, nearest } from '@quartermaster/service';
import { roles } from '../roles/roles.ts';

/** The deployments of the roles with these names, each once, or of all roles that run in a cluster when none is named. */
export function roleDeployments(names: readonly string[]): readonly Deployment[] {
  const known = new Map(roles.flatMap(({ name, deployment }) => (deployment === undefined ? [] : [[name, deployment]])));
  return names.length === 0
    ? [...known.values()]
    : [...new Set(names)].map((name) => known.get(name) ?? unknownRole(name, [...known.keys()]));
}

function unknownRole(name: string, known: readonly string[]): never {
  const guess = nearest(name, known);
  const hint = guess === undefined ? `there are ${known.join(', ')}` : `did you mean ${guess}?`;
  throw new StatusError('invalid_argument', `no role that runs in a cluster is called ${name}: ${hint}`);
}
