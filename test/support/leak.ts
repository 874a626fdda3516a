/**
 * What no answer may show: stacks, places in the code, folders, SQL, words of drivers and frameworks. Each is longer, or
 * stands more alone, than what the random texts of thousands of ids and tokens come upon.
 */
export const LEAK =
  /\bat \S+ \(|\.(?:js|ts):\d|node_modules|\/(?:work|home|root|srv|usr|tmp|etc)\/|SELECT |INSERT |UPDATE |[Ss][Qq][Ll]ite|SQLITE|\b(?:mysql2?|MySQL|MYSQL)\b|\bER_[A-Z_]{6}|typeorm|fastify|nestjs|FST_ERR_|HPE_[A-Z_]{6}|[A-Z]\w*Error\b|Cannot (?:GET|POST)/;
