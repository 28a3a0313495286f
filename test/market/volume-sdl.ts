/** An SDL with one service that keeps its data on a persistent volume `data`. */
export const volumeSdl = ({ service = 'db', image = 'postgres:18', more = '' } = {}): string => `version: "2.0"
services:
  ${service}:
    image: ${image}${more}
    params:
      storage:
        data:
          mount: /var/lib/data
          readOnly: false
    expose:
      - port: 80
        to:
          - global: true
profiles:
  compute:
    db:
      resources:
        cpu:
          units: 1
        memory:
          size: 1Gi
        storage:
          - size: 1Gi
          - name: data
            size: 10Gi
            attributes:
              persistent: true
              class: beta3
  placement:
    eu:
      pricing:
        db:
          denom: uakt
          amount: 900
deployment:
  ${service}:
    eu:
      profile: db
      count: 1
`;
