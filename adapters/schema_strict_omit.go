package adapters

import "slices"

// An omission says which nulls in a value stand for "not given": those that a
// strict schema allows and the server's does not. It has the shape of the
// schema. The zero value drops nothing.
type omission struct {
	properties   map[string]property
	elements     *omission
	alternatives []*omission // the value is of one of them
}

type property struct {
	optional, nullable bool // in the server's schema
	within             *omission
	values             map[string]bool // by valueKey; nil if there may be others
}

// property returns the omission for a property, which is made.
func (o *omission) property(name string, optional, nullable bool) *omission {
	if o.properties == nil {
		o.properties = map[string]property{}
	}
	p := property{optional: optional, nullable: nullable, within: &omission{}}
	o.properties[name] = p
	return p.within
}

// limit notes the values that a property is limited to, if it is.
func (o *omission) limit(name string, values []any) {
	if len(values) == 0 {
		return
	}
	p := o.properties[name]
	p.values = make(map[string]bool, len(values))
	for _, v := range values {
		p.values[valueKey(v)] = true
	}
	o.properties[name] = p
}

// element returns the omission for the elements of an array, which is made.
func (o *omission) element() *omission {
	o.elements = &omission{}
	return o.elements
}

// alternative returns the omission for one more alternative, which is made.
func (o *omission) alternative() *omission {
	a := &omission{}
	o.alternatives = append(o.alternatives, a)
	return a
}

// all returns o, and instead of a union its alternatives, appended to list.
func (o *omission) all(list []*omission) []*omission {
	if o.alternatives == nil {
		return append(list, o)
	}
	for _, a := range o.alternatives {
		list = a.all(list)
	}
	return list
}

// fits reports whether v is as a strict schema has it written: with all of the
// properties and no other, and with the values that tell objects apart.
func (o *omission) fits(v map[string]any) bool {
	if len(v) != len(o.properties) {
		return false
	}
	for name, value := range v {
		if p, known := o.properties[name]; !known || p.values != nil && !p.values[valueKey(value)] {
			return false
		}
	}
	return true
}

// drop removes the nulls from v, which it changes. Of a union counts the
// alternative that v fits. If it fits none, a null goes if one of them makes the
// property optional and none takes null for a value.
func (o *omission) drop(v any) { dropBy(o.all(nil), v) }

func dropBy(by []*omission, v any) {
	if len(by) == 0 {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		misfits := func(o *omission) bool { return !o.fits(v) }
		if fitting := slices.DeleteFunc(slices.Clone(by), misfits); len(fitting) > 0 {
			by = fitting
		}
		for name, value := range v {
			var optional, nullable bool
			var within []*omission
			for _, o := range by {
				if p, known := o.properties[name]; known {
					optional, nullable = optional || p.optional, nullable || p.nullable
					within = p.within.all(within)
				}
			}
			if value == nil && optional && !nullable {
				delete(v, name)
			} else {
				dropBy(within, value)
			}
		}
	case []any:
		var within []*omission
		for _, o := range by {
			if o.elements != nil {
				within = o.elements.all(within)
			}
		}
		for _, value := range v {
			dropBy(within, value)
		}
	}
}
