/** Once in Spring Boot's actuator: health, an endpoint for keys, info and metrics. */
@NullMarked
package dev.once.spring.actuate;

import org.jspecify.annotations.NullMarked;
