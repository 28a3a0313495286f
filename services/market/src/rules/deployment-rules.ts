import { clone } from '@bufbuild/protobuf';
import { type Deployment, DeploymentSchema } from '@quartermaster/api/market';
import type { FieldViolation } from '@quartermaster/kernel';
import { kindRules } from '@quartermaster/objects';

const general = kindRules<Deployment>(DeploymentSchema, {
  onUpdate: (before, object) => {
    const isMoved = before.metadata?.tenants.join() !== object.metadata?.tenants.join();
    const description = 'never changes: it is the account of the deployment; close it, and deploy anew for the other account';
    return { object, violations: isMoved ? [{ field: 'metadata.tenants', description }] : [] };
  },
  outputOnly: [{ pattern: 'status' }, { pattern: 'metadata.finalizers' }],
});

export const deploymentRules: typeof general = {
  ...general,
  validate: (object, before) => {
    // An SDL may be longer than other texts, and is not stored as one.
    const rest = clone(DeploymentSchema, object);
    if (rest.spec !== undefined) rest.spec.sdl = '';
    return [...sdlViolations(object.spec?.sdl ?? ''), ...general.validate(rest, before)];
  },
};

/** What else is wrong with an SDL, whoever reads it says. */
export function sdlViolations(sdl: string): FieldViolation[] {
  return sdl.trim() === '' ? [{ field: 'spec.sdl', description: 'must be given: the SDL of what shall run' }] : [];
}
