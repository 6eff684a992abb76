/** Once in front of Spring MVC: the servlet filter, and what it has to know of handlers. */
@NullMarked
package dev.once.spring.mvc;

import org.jspecify.annotations.NullMarked;
