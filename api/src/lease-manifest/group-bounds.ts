/** Of one service. Variables are `NAME=value` or `NAME`. */
export interface BoundedService {
  /** A port that is exposed to several counts as often. */
  readonly exposes: number;
  readonly hostnames: readonly string[];
  readonly variables: readonly string[];
  /** Image, command, arguments and credentials. */
  readonly texts: readonly string[];
}

/** Each is a workload with objects of its own, however small it is. Reports of a lease have room for all of them. */
export const maxServices = 64;
/** Each is a claim and a route of the cluster. */
const maxHostnames = 100;
/** Each is a port of a Service, of its policies and of the rules on every node. */
const maxExposes = 128;
/** Each is some hundred bytes of a workload, however short it is. */
const maxVariables = 2_000;
/** Every replica of the provider keeps them in memory. */
const maxTextBytes = 131_072;

/** What the services of one placement, and so one lease, have too much of together: the rule and the way out, to be read after `services`. */
export function beyondBounds(services: readonly BoundedService[]): readonly string[] {
  const variables = services.flatMap((each) => each.variables);
  const texts = [...variables.map((variable) => variable.replace('=', '')), ...services.flatMap((each) => each.texts)];
  const found: string[] = [];
  if (services.length > maxServices)
    found.push(`are ${services.length}; one placement may have at most ${maxServices}: drop some, or use several placements`);
  const check = (count: number, what: string, max: number, wayOut: string): void => {
    if (count > max)
      found.push(`have ${count} ${what} together; those of one placement may have at most ${max}: ${wayOut}, or use several placements`);
  };
  const hostnames = new Set(services.flatMap((each) => each.hostnames).map((hostname) => hostname.toLowerCase()));
  check(hostnames.size, 'hostnames', maxHostnames, 'drop some');
  const exposes = services.reduce((sum, each) => sum + each.exposes, 0);
  check(exposes, 'exposes (one for each "to" of a port)', maxExposes, 'drop some');
  check(variables.length, 'environment variables', maxVariables, 'drop some');
  const bytes = new TextEncoder().encode(texts.join('')).length;
  check(bytes, 'bytes in image, command, args, env and credentials', maxTextBytes, 'put large texts into images or volumes');
  return found;
}
