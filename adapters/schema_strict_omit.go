package adapters

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
}

// property returns the omission for a property, which is made.
func (o *omission) property(name string, optional, nullable bool) *omission {
	if o.properties == nil {
		o.properties = map[string]property{}
	}
	p := property{optional, nullable, &omission{}}
	o.properties[name] = p
	return p.within
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

// drop removes the nulls from v, which it changes. Where v is of a union it is
// not known which alternative v is: a null goes if one of them makes the
// property optional and none takes null for a value.
func (o *omission) drop(v any) { dropBy(o.all(nil), v) }

func dropBy(by []*omission, v any) {
	if len(by) == 0 {
		return
	}
	switch v := v.(type) {
	case map[string]any:
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
