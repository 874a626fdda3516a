/**
 * Internals that no response may show: stack traces, file paths, SQL, and names of drivers and frameworks. Each pattern
 * is long or isolated enough not to match random ids and tokens.
 */
export const LEAK =
  /\bat \S+ \(|\.(?:js|ts):\d|node_modules|\/(?:work|home|root|srv|usr|tmp|etc|dev\/shm)\/|SELECT |INSERT |UPDATE |[Ss][Qq][Ll]ite|SQLITE|\b(?:mysql2?|MySQL|MYSQL)\b|\bER_[A-Z]{2,}_(?:[A-Z]+_)*[A-Z]{3}|typeorm|fastify|nestjs|FST_ERR_|\bHPE_(?:[A-Z]{2,}_(?:[A-Z\d]+_)*[A-Z]{3}|INTERNAL|STRICT|PAUSED)|[A-Z]\w*Error\b|Cannot (?:GET|POST)/;
