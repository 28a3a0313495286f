import { invalidFields, StatusError } from '@quartermaster/kernel';
import { addressOf } from '../addresses/lease-addresses.ts';
import { leasedEndpoints } from '../objects/leased-ips.ts';
import { orderName } from '../reservations/order-name.ts';
import type { WantedAddress } from './lease-action-types.ts';
import type { LeaseAt, LeaseContext } from './lease-context.ts';

/** Gives the address of another lease of the owner to this one. Asked again, it changes nothing. What both declare follows at their next looks. */
export async function transferAddress(
  context: LeaseContext,
  { name, lease, record, signal }: LeaseAt,
  { endpoint, from }: WantedAddress,
): Promise<string> {
  const { records, manifests, addresses, addressClaims } = context;
  const refused = (message: string): StatusError => new StatusError('failed_precondition', message);
  const source = records.of(orderName(from));
  if (source === undefined || source.lease.owner !== lease.owner)
    throw new StatusError('not_found', `from: ${lease.owner} has no lease ${orderName(from)} here`);
  if (source.name === name)
    throw invalidFields([{ field: 'from', description: 'is the lease that is to get the address: name the one that has it' }]);
  if (source.closingAt !== undefined || source.state === 'Complete')
    throw refused(`from: lease ${source.name} has ended, and its address with it`);
  const shown = manifests.shown(record.namespace);
  if (shown === undefined || !leasedEndpoints(shown.group).has(endpoint))
    throw refused(
      `endpoint: the manifest of lease ${name} does not have ${endpoint}: deploy with an endpoint of that name, and transfer it then`,
    );
  await addressClaims.caughtUp();
  const away = addresses.givenBy(source.name, endpoint);
  if (away?.lease === name) return away.address;
  const address = addressOf(context, source, endpoint);
  if (address === undefined) {
    const why = away === undefined ? 'yet: try again when its status shows one' : `any more: lease ${away.lease} has it`;
    throw refused(`from: lease ${source.name} has no address for endpoint ${endpoint} ${why}`);
  }
  const held = addresses.heldBy(name, endpoint)?.address ?? address;
  if (held !== address)
    throw refused(`endpoint: ${endpoint} of lease ${name} has the address ${held}, which was moved to it: move that one elsewhere first`);
  return (await addressClaims.move({ address, owner: lease.owner, endpoint, from: source.name, to: name }, signal)).address;
}
