/** Who may call what, written out: the letters stand for anonymous callers (-), admin, controller, provider, sync, tenant, and tenants that may write hosts (h). */
const everybody = 'acpst';
const users = 'apt';
const staff = 'ap';
const operators = 'acp';
const synchronizers = 'acps';
const owners = 'at';

const crud = (readers: string, writers: string) => ({ List: readers, Get: readers, Create: writers, Update: writers, Delete: writers });
const kept = (readers: string) => ({ ...crud(readers, operators), Signal: operators });

export const expectedCallers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'metadata.v1.Metadata': { Get: `-${everybody}` },
  'fulfillment.v1.ClusterTemplates': crud(users, staff),
  'fulfillment.v1.Clusters': {
    ...crud(users, users),
    GetKubeconfig: owners,
    GetKubeconfigViaHttp: owners,
    GetPassword: owners,
    GetPasswordViaHttp: owners,
  },
  'fulfillment.v1.HostClasses': crud(users, staff),
  'fulfillment.v1.HostPools': crud(users, users),
  'fulfillment.v1.Hosts': crud(users, `${staff}h`),
  'events.v1.Events': { Watch: users },
  'private.v1.ClusterTemplates': kept(operators),
  'private.v1.Clusters': kept(operators),
  'private.v1.HostClasses': kept(synchronizers),
  'private.v1.HostPools': kept(operators),
  'private.v1.Hosts': kept(synchronizers),
  'private.v1.Hubs': { ...crud(operators, 'a'), Update: 'ac', Signal: operators },
  'private.v1.Events': { Watch: operators },
  'quartermaster.fulfillment.v1.HostAssignments': { ClaimHosts: operators, ReleaseHosts: operators },
  'quartermaster.fulfillment.v1.HostSources': { ApplyHosts: 'aps', List: synchronizers },
  'quartermaster.fulfillment.v1.Audit': { List: staff },
  'quartermaster.fulfillment.v1.Sessions': { Get: everybody },
  'quartermaster.fulfillment.v1.SecretKeys': { Status: 'a', Reencrypt: 'a' },
};
