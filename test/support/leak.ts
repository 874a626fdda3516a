/** What no answer may show: stacks, places in the code, folders, SQL, words of drivers and frameworks. */
export const LEAK =
  /\bat \S+ \(|\.(?:js|ts):\d|node_modules|\/(?:work|home|root|srv|usr|tmp|etc)\/|SELECT |INSERT |UPDATE |[Ss][Qq][Ll]ite|SQLITE|[Mm]y[Ss][Qq][Ll]|\bER_[A-Z]|typeorm|fastify|nestjs|FST_|HPE_|[A-Z]\w*Error\b|Cannot (?:GET|POST)/;
