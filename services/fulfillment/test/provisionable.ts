/** What a host needs so that a cluster can get it; another MAC address for each number. */
export const provisionable = (index = 1) => ({
  bmc: { url: `redfish+https://bmc-${index}.example.com`, user: 'root' },
  bootMac: `b8:3f:d2:00:02:${index.toString(16).padStart(2, '0')}`,
});
