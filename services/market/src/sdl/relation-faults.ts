import type { ValidationError } from '@akashnetwork/chain-sdk';
import { type Fault, pointer, quoted } from './fault-list.ts';

const relation = {
  deployment: '#/properties/deployment',
  placement: '#/properties/profiles/properties/placement',
  compute: '#/properties/profiles/properties/compute',
  pricing: '#/properties/profiles/properties/placement/additionalProperties/properties/pricing',
  volumes: '#/properties/profiles/properties/compute/additionalProperties/properties/resources/properties/storage',
  gpu: '#/properties/profiles/properties/compute/additionalProperties/properties/resources/properties/gpu',
  endpoints: '#/properties/endpoints',
  denom: '#/definitions/priceCoin/properties/denom',
} as const;

const codes: Readonly<Record<string, string>> = {
  required: 'Missing',
  uniqueItems: 'Duplicate',
  additionalProperties: 'Unused',
  const: 'NotAllowed',
  pattern: 'NotAllowed',
};

/** Where nothing is missing. */
const otherMessages: Readonly<Record<string, string>> = {
  [relation.denom]: 'denom must be uakt, uact or the ibc/… of USDC on the main network',
  [relation.endpoints]: 'this endpoint is used by no service: remove it, or name it as the ip of an expose',
};

/** Errors of the library's rules on what names what, of an SDL whose schema is right. */
export function relationFaults(errors: readonly ValidationError[]): Fault[] {
  return errors.map((error) => {
    const { instancePath, keyword, params, message } = error;
    const missing: unknown = params['missingProperty'];
    const code = codes[keyword] ?? 'Invalid';
    const mended = typeof missing === 'string' ? mendedMessage(error, missing) : undefined;
    if (mended !== undefined && typeof missing === 'string') return { path: pathOf(error, missing), code, message: mended };
    return { path: instancePath, code, message: otherMessages[error.schemaPath] ?? message ?? 'the SDL contradicts itself here' };
  });
}

function mendedMessage({ schemaPath, instancePath }: ValidationError, missing: string): string | undefined {
  const name = quoted(missing);
  switch (schemaPath) {
    case relation.deployment:
      return `the service ${name} is not deployed: give it a placement with profile and count here, or remove the service`;
    case relation.placement:
      return `the placement ${name} is used by deployment and declared nowhere: declare it under profiles.placement`;
    case relation.compute:
      return `the compute profile ${name} is used by deployment and declared nowhere: declare it under profiles.compute`;
    case relation.pricing:
      return `the compute profile ${name} has no price in this placement, which is to run it: add denom and amount`;
    case relation.volumes:
      return `a service mounts the volume ${name}, which its compute profile does not have: add a volume of that name, or remove the mount`;
    case relation.endpoints:
      return `the endpoint ${name} is used by a service and declared nowhere: add it under endpoints with "kind: ip"`;
    case relation.gpu:
    case `${relation.gpu}/properties/attributes/properties/vendor`:
      return 'a profile with GPUs must say which cards will do: add attributes with vendor, nvidia and a list of models';
    default:
      return instancePath.includes('/params/storage/')
        ? 'a persistent volume must be mounted: give its mount, an absolute path, under params.storage of the service'
        : undefined;
  }
}

/** The library has the place of some things that are missing, and of others that of the map that lacks them. */
function pathOf({ schemaPath, instancePath }: ValidationError, missing: string): string {
  if (schemaPath.startsWith(relation.gpu)) return instancePath.replace(/\/attributes$/, '');
  const isPlace = schemaPath === relation.endpoints || schemaPath === relation.volumes || instancePath.includes('/params/storage/');
  return isPlace ? instancePath : instancePath + pointer(missing);
}
