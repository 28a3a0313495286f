/** Custom resource definitions and admission policies as YAML files, each under the name by which a role's deployment asks for it. */
export const contractsFolder: URL = new URL('../../crds/', import.meta.url);
