import { type AccessTable, accessTable, type MethodAccess } from '@quartermaster/auth';
import type { Role } from './caller-roles.ts';

const everybody: readonly Role[] = ['admin', 'operator', 'provider', 'tenant'];
const readers: readonly Role[] = ['admin', 'operator', 'tenant'];
const traders: readonly Role[] = ['admin', 'tenant'];
const tenants: readonly Role[] = ['tenant'];
const staff: readonly Role[] = ['admin', 'operator'];
const administrators: readonly Role[] = ['admin'];
const providers: readonly Role[] = ['provider'];

const read = (callers: readonly Role[]): MethodAccess<Role> => ({ callers, effect: 'read' });
const write = (callers: readonly Role[]): MethodAccess<Role> => ({ callers, effect: 'write' });
/** Whose bids it would be follows from the account, which nobody else has. */
const wayIn = { admin: 'only who bids for an account may: a token of the role provider, or an entry of market-providers' };
const bid = (access: MethodAccess<Role>): MethodAccess<Role> => ({ ...access, wayIn });
/** Whoever looks after the market sees what tenants ordered, and gets into nothing that they run. */
const ownTenants = 'only the tenant of the lease may: by a login that is of the tenant and looks after nothing';
const reads = { List: read(readers), Get: read(readers) };

const services = {
  'quartermaster.market.v1.Deployments': {
    ...reads,
    Create: write(traders),
    Update: write(traders),
    // It says what differs from the stored SDL, and so whether a guess is right: only who may open that asks.
    Preview: read(tenants),
    Close: write(readers),
  },
  'quartermaster.market.v1.Orders': reads,
  'quartermaster.market.v1.Bids': { ...reads, Accept: write(traders) },
  'quartermaster.market.v1.Leases': {
    ...reads,
    Close: write(traders),
    CreateToken: { ...write(tenants), wayIn: { admin: ownTenants, operator: ownTenants, provider: ownTenants } },
  },
  'quartermaster.market.v1.OwnerKeys': { ...reads, Create: write(traders), Delete: write(traders) },
  'quartermaster.market.v1.Sdl': { Check: read(readers) },
  'quartermaster.market.v1.Events': { Watch: read(readers) },
  'quartermaster.market.v1.ProviderMarket': {
    GetAccount: bid(read(providers)),
    ListOrders: bid(read(providers)),
    ListBids: bid(read(providers)),
    ListLeases: bid(read(providers)),
    LookUp: bid(read(providers)),
    Watch: bid(read(providers)),
    CreateBid: bid(write(providers)),
    CloseBid: bid(write(providers)),
    CloseLease: bid(write(providers)),
    GetManifest: bid(read(providers)),
    ReportDelivery: bid(write(providers)),
    ListOwnerKeys: bid(read(providers)),
  },
  'quartermaster.fulfillment.v1.Audit': { List: read(staff) },
  'quartermaster.fulfillment.v1.Sessions': { Get: read(everybody) },
  'quartermaster.fulfillment.v1.SecretKeys': { Status: read(administrators), Reencrypt: write(administrators) },
};

/** Every method that the service serves, and who may call it. */
export const marketAccess: AccessTable = accessTable(services);
